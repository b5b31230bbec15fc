// Breaks the floating-point environment of a program that preloads it, as a library linked with
// -ffast-math does, or worse. UNSOUND_FLOATS selects the fault. UNSOUND_WHERE selects the time:
// "start" is before main(), "threads" is at the start of each thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

static void spoil(void) {
  const char* how = getenv("UNSOUND_FLOATS");
  if (strcmp(how, "up") == 0) fesetround(FE_UPWARD);
  if (strcmp(how, "down") == 0) fesetround(FE_DOWNWARD);
  if (strcmp(how, "zero") == 0) fesetround(FE_TOWARDZERO);
#ifdef __SSE2__
  if (strcmp(how, "ftz") == 0) _mm_setcsr(_mm_getcsr() | 0x8000);
  if (strcmp(how, "daz") == 0) _mm_setcsr(_mm_getcsr() | 0x0040);
  if (strcmp(how, "sse-inexact") == 0) _mm_setcsr(_mm_getcsr() & ~_MM_MASK_INEXACT);
#endif
  if (strcmp(how, "invalid") == 0) feenableexcept(FE_INVALID);
  if (strcmp(how, "all") == 0) feenableexcept(FE_ALL_EXCEPT);
}

static int is_at(const char* where) { return strcmp(getenv("UNSOUND_WHERE"), where) == 0; }

__attribute__((constructor)) static void start(void) {
  if (is_at("start")) spoil();
}

struct thread {
  void* (*work)(void*);
  void* argument;
};

static void* run(void* pointer) {
  struct thread thread = *(struct thread*)pointer;
  free(pointer);
  spoil();
  return thread.work(thread.argument);
}

int pthread_create(pthread_t* id, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  typedef int create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  create* real;
  *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  if (!is_at("threads")) return real(id, attributes, work, argument);
  struct thread* thread = malloc(sizeof *thread);
  *thread = (struct thread){work, argument};
  return real(id, attributes, run, thread);
}
