// Calls to a worker: each has an answer. A worker that does not answer in time is ended and made again.

export class Channel {
  #url;
  #setUp;
  #worker = null;
  #ready;
  #waiting = new Map();
  #next = 0;

  /** `setUp`, or what it is a promise of, is the first message of each worker. `first`: a worker that is there
   * already, and the promise that it has had that message. */
  constructor(url, setUp, first = null) {
    this.#url = url;
    this.#setUp = setUp;
    if (first === null) return;
    this.#ready = first.ready;
    this.#worker = this.#listen(first.worker);
  }

  /** @returns {Promise<any>} the answer; it is rejected with what the worker threw, as {message, ...} */
  call(name, values = {}, limit = 0) {
    this.#worker ??= this.#start();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = limit === 0 ? 0 : setTimeout(() => this.#end(id, limit), limit);
      this.#waiting.set(id, { resolve, reject, timer });
      const worker = this.#worker;
      this.#ready.then(() => worker.postMessage({ id, name, values }),
        ({ message }) => this.#settle(id, { error: { message } }));
    });
  }

  #start() {
    const worker = this.#listen(new Worker(this.#url, { type: "module" }));
    this.#ready = Promise.resolve(this.#setUp).then((values) => worker.postMessage({ id: -1, name: "setUp", values }));
    return worker;
  }

  #listen(worker) {
    worker.onmessage = ({ data }) => this.#settle(data.id, data);
    worker.onerror = (event) => {
      for (const id of [...this.#waiting.keys()]) this.#settle(id, { error: { message: event.message ?? "the worker stopped" } });
    };
    return worker;
  }

  #settle(id, answer) {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (answer.error) waiting.reject(answer.error);
    else waiting.resolve(answer.value);
  }

  #end(id, limit) {
    this.#worker.terminate();
    this.#worker = null;
    this.#settle(id, { error: { message: `stopped: it took longer than ${limit / 1000} s` } });
    for (const other of [...this.#waiting.keys()]) this.#settle(other, { error: { message: "stopped" } });
  }
}

/** The other side: answers each call by the function of its name. */
export function serve(functions) {
  let ready = Promise.resolve();
  self.onmessage = async ({ data: { id, name, values } }) => {
    try {
      if (name === "setUp") {
        ready = functions.setUp(values);
        await ready;
        return;
      }
      await ready;
      const value = await functions[name](values);
      self.postMessage({ id, value });
    } catch (error) {
      self.postMessage({ id, error: { message: error.message, errors: error.errors, launched: error.launched } });
    }
  };
}
