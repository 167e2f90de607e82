/* Forks at any moment: threads load, compile, launch, list and print while the main thread forks
 * again and again; each child asks for a kernel that nobody has compiled, launches it and one that
 * the parent had, and ends. None may hang. usage: fork_test BUNDLE [CHILDREN] */
#include <hologram/hologram.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMPILERS = 2, SECONDS_OF_CHILD = 30, ELEMENTS = 300, MANY = 400000 };

static const char* bundle;
static hologram_executor* shared;
static hologram_kernel* shared_kernel;
static atomic_int stop;
static atomic_ulong compiled;
static atomic_ulong launched;

static void Must(hologram_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", hologram_error_text(error));
  abort();
}

static void Ignore(void* context, const hologram_print_record* record) {
  (void)context;
  (void)record;
}

static void Launch(const hologram_kernel* kernel, size_t n) {
  float* const a = calloc(3 * n, sizeof *a);
  hologram_argument arguments[4];
  memset(arguments, 0, sizeof arguments);
  for (size_t k = 0; k < 2 * n; ++k) a[k] = 1;
  for (int k = 0; k < 3; ++k) {
    arguments[k].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
    arguments[k].buffer.data = a + (size_t)k * n;
    arguments[k].buffer.bytes = n * sizeof *a;
  }
  arguments[3].code = HOLOGRAM_U32;
  arguments[3].scalar = n;
  Must(hologram_kernel_launch(kernel, arguments, 4, NULL));
  if (a[2 * n] != 2 || a[3 * n - 1] != 2) abort();
  free(a);
}

/* A kernel that no executor of this process has: with the cache off it is compiled. */
static void CompileAndLaunch(int tiered) {
  hologram_executor* executor;
  hologram_kernel* kernel;
  Must(hologram_executor_create(&executor));
  hologram_executor_set_tiered(executor, (uint32_t)tiered);
  Must(hologram_executor_load_file(executor, bundle, NULL));
  Must(hologram_executor_kernel(executor, "vector_add", &kernel));
  Launch(kernel, ELEMENTS);
  if (tiered) hologram_kernel_wait(kernel);
  if (strncmp(hologram_kernel_path(kernel), "native", 6) != 0) abort();
  hologram_kernel_destroy(kernel);
  hologram_executor_destroy(executor);
}

static void* Compile(void* tiered) {
  while (!atomic_load(&stop)) {
    CompileAndLaunch(tiered != NULL);
    atomic_fetch_add(&compiled, 1);
  }
  return NULL;
}

static void Talk(void) {
  static const hologram_launch_config interpreted = {{0}, {0}, 0, 0, 1, 0, 0, 0, {0}};
  hologram_kernel* kernel;
  hologram_argument arguments[2];
  float x[4] = {1, 2, 1, 2};
  memset(arguments, 0, sizeof arguments);
  Must(hologram_executor_kernel(shared, "talk", &kernel));
  arguments[0].code = HOLOGRAM_F32 | HOLOGRAM_ARGUMENT_BUFFER | HOLOGRAM_ARGUMENT_WRITABLE;
  arguments[0].buffer.data = x;
  arguments[0].buffer.bytes = sizeof x;
  arguments[1].code = HOLOGRAM_U32;
  arguments[1].scalar = 4;
  Must(hologram_kernel_launch(kernel, arguments, 2, &interpreted));
  hologram_kernel_destroy(kernel);
}

/* Everything else that takes locks of one executor. */
static void* Use(void* unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    hologram_listing* listing;
    hologram_boundary* boundary;
    Launch(shared_kernel, ELEMENTS);
    Launch(shared_kernel, MANY);
    Talk();
    Must(hologram_executor_list(shared, &listing));
    hologram_listing_destroy(listing);
    Must(hologram_executor_allocate_boundary(shared, HOLOGRAM_ANY_CLASS, 1, 1, &boundary));
    hologram_boundary_destroy(boundary);
    hologram_executor_advance_phase(shared, 1);
    atomic_fetch_add(&launched, 1);
  }
  return NULL;
}

static void InChild(void) {
  hologram_listing* listing;
  hologram_boundary* boundary;
  alarm(SECONDS_OF_CHILD);
  Launch(shared_kernel, ELEMENTS);
  Launch(shared_kernel, MANY);
  Talk();
  hologram_executor_set_print(shared, Ignore, NULL);
  Must(hologram_executor_list(shared, &listing));
  hologram_listing_destroy(listing);
  Must(hologram_executor_allocate_boundary(shared, HOLOGRAM_ANY_CLASS, 1, 1, &boundary));
  hologram_boundary_destroy(boundary);
  hologram_executor_advance_phase(shared, 1);
  CompileAndLaunch(0);
  CompileAndLaunch(1);
  _exit(0);
}

int main(int argc, char** argv) {
  pthread_t threads[COMPILERS + 2];
  const int children = argc > 2 ? atoi(argv[2]) : 30;
  int bad = 0;
  if (argc < 2) return 2;
  bundle = argv[1];
  Must(hologram_executor_create(&shared));
  hologram_executor_set_print(shared, Ignore, NULL);
  Must(hologram_executor_load_file(shared, bundle, NULL));
  /* The first use of the compiler, whose tables are made then, is raced for too. */
  for (int k = 0; k < COMPILERS; ++k) {
    pthread_create(&threads[k], NULL, Compile, k == 0 ? NULL : &stop);
  }
  for (int child = 0; child < 3; ++child) {
    const pid_t id = fork();
    int status = 0;
    if (id == 0) {
      alarm(SECONDS_OF_CHILD);
      CompileAndLaunch(0);
      _exit(0);
    }
    if (waitpid(id, &status, 0) != id || status != 0) ++bad;
  }
  Must(hologram_executor_kernel(shared, "vector_add", &shared_kernel));
  for (int k = 0; k < 2; ++k) pthread_create(&threads[COMPILERS + k], NULL, Use, NULL);
  for (int child = 0; child < children && bad == 0; ++child) {
    const struct timespec pause = {0, (child * 7919) % 20 * 1000000L};
    int status = 0;
    pid_t id;
    nanosleep(&pause, NULL);
    id = fork();
    if (id == 0) InChild();
    if (waitpid(id, &status, 0) != id || status != 0) {
      printf("child %d: %s %d\n", child, WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      ++bad;
    }
  }
  atomic_store(&stop, 1);
  for (int k = 0; k < COMPILERS + 2; ++k) pthread_join(threads[k], NULL);
  printf("%d children, %lu compilations and %lu rounds of launches meanwhile, %d bad\n",
         children + 3, atomic_load(&compiled), atomic_load(&launched), bad);
  hologram_kernel_destroy(shared_kernel);
  hologram_executor_destroy(shared);
  return bad == 0 && atomic_load(&compiled) != 0 && atomic_load(&launched) != 0 ? 0 : 1;
}
