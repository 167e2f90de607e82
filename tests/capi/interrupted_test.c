/* Faults from outside that no file is part of:
 *   signals  a timer interrupts every system call that waits, a thousand times a second, without
 *            SA_RESTART, while bundles are loaded, kernels compiled, kept in the code cache, taken
 *            from there, and launched on several threads
 *   threads  pthread_create fails always, then now and then, while executors with threads and
 *            tiered ones compile and launch
 * Every call succeeds, results are right. usage: interrupted_test BUNDLE CACHE [SECONDS] */
#include <dlfcn.h>
#include <errno.h>
#include <hologram/hologram.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 300, LARGE = 400000 };

static const char* bundle;
static const char* cache;
static double seconds = 1.5;
static atomic_long interruptions;
static atomic_int fail_one_in; /* 0: threads can be started */
static atomic_ulong asked;
static atomic_ulong refused;

/* The program's definition is taken by the library. */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const int one_in = atomic_load(&fail_one_in);
  Create create;
  void* const found = dlsym(RTLD_NEXT, "pthread_create");
  if (one_in != 0 && atomic_fetch_add(&asked, 1) % (unsigned long)one_in == 0) {
    atomic_fetch_add(&refused, 1);
    return EAGAIN;
  }
  memcpy(&create, &found, sizeof create);
  return create(thread, attributes, start, argument);
}

static void OnAlarm(int number) {
  (void)number;
  atomic_fetch_add(&interruptions, 1);
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void Must(hologram_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", hologram_error_text(error));
  exit(1);
}

static void Launch(const hologram_kernel* kernel, size_t n) {
  float* const a = malloc(3 * n * sizeof *a);
  hologram_argument arguments[4];
  size_t k;
  memset(arguments, 0, sizeof arguments);
  for (k = 0; k < 3 * n; ++k) a[k] = k < 2 * n ? 1 : 0;
  for (k = 0; k < 3; ++k) {
    arguments[k].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
    arguments[k].buffer.data = a + k * n;
    arguments[k].buffer.bytes = n * sizeof *a;
  }
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = n;
  Must(hologram_kernel_launch(kernel, arguments, 4, NULL));
  for (k = 2 * n; k < 3 * n; ++k) {
    if (a[k] == 2) continue;
    fprintf(stderr, "element %zu of %zu is %f\n", k - 2 * n, n, (double)a[k]);
    exit(1);
  }
  free(a);
}

/* Loads, finds and launches; the kernel is compiled, or comes from the cache. */
static void Round(uint32_t threads, int tiered) {
  hologram_executor* executor;
  hologram_kernel* kernel;
  Must(hologram_executor_create_private(&executor));
  Must(hologram_executor_set_threads(executor, threads));
  hologram_executor_set_tiered(executor, (uint32_t)tiered);
  Must(hologram_executor_load_file(executor, bundle, NULL));
  Must(hologram_executor_kernel(executor, "vector_add", &kernel));
  Launch(kernel, SMALL);
  Launch(kernel, LARGE);
  if (tiered) hologram_kernel_wait(kernel);
  Launch(kernel, LARGE);
  if (strncmp(hologram_kernel_path(kernel), "native", 6) != 0) {
    fprintf(stderr, "the kernel runs in the %s\n", hologram_kernel_path(kernel));
    exit(1);
  }
  hologram_kernel_destroy(kernel);
  hologram_executor_destroy(executor);
}

static void EmptyCache(void) {
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  if (system(command) != 0 || mkdir(cache, 0700) != 0) exit(1);
}

static void Signals(void) {
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  struct sigaction action;
  const double end = Now() + seconds;
  int rounds = 0;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnAlarm; /* without SA_RESTART */
  sigaction(SIGALRM, &action, NULL);
  setenv("HOLOGRAM_CACHE_DIR", cache, 1);
  while (rounds < 8 || Now() < end) {
    if (rounds % 4 == 0) EmptyCache();
    setitimer(ITIMER_REAL, &often, NULL);
    Round(rounds % 3 + 1u, rounds % 2);
    setitimer(ITIMER_REAL, &never, NULL);
    ++rounds;
  }
  setenv("HOLOGRAM_CACHE_DIR", "", 1);
  printf("signals: %d rounds with %ld interruptions\n", rounds, atomic_load(&interruptions));
  if (atomic_load(&interruptions) < 100) exit(1);
}

/* In children: the threads of a process are started once. */
static void Threads(void) {
  static const int kinds[] = {1, 2, 3};
  unsigned long all_refused = 0;
  int children = 0;
  int k;
  int t;
  for (k = 0; k < 3; ++k) {
    for (t = 0; t < 4; ++t) {
      int status = 0;
      int answer[2];
      unsigned long count = 0;
      pid_t child;
      if (pipe(answer) != 0) exit(1);
      child = fork();
      if (child == 0) {
        alarm(60);
        signal(SIGALRM, SIG_DFL);
        atomic_store(&fail_one_in, kinds[k]);
        atomic_store(&asked, (unsigned long)t / 2);
        Round(4, t % 2);
        Round(4, t % 2);
        count = atomic_load(&refused);
        if (write(answer[1], &count, sizeof count) != (ssize_t)sizeof count) _exit(1);
        exit(0);
      }
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "threads, one in %d fails, %s: status %x\n", kinds[k],
                t % 2 ? "tiered" : "not tiered", (unsigned)status);
        exit(1);
      }
      if (read(answer[0], &count, sizeof count) != (ssize_t)sizeof count) exit(1);
      close(answer[0]);
      close(answer[1]);
      all_refused += count;
      ++children;
    }
  }
  printf("threads: %d processes, %lu threads could not be started\n", children, all_refused);
  if (all_refused < 10) exit(1);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  bundle = argv[1];
  cache = argv[2];
  if (argc > 3) seconds = atof(argv[3]);
  Threads();
  Signals();
  return 0;
}
