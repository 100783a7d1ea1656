/*
 * Preloaded into a process, makes its disk slow: every `fsync` and `fdatasync` takes SLOW_MS longer, and one in SLOW_ONE_IN
 * takes SLOW_MOST_MS longer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int setting(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

static void delay(void) {
  int oneIn = setting("SLOW_ONE_IN");
  int ms = oneIn && random() % oneIn == 0 ? setting("SLOW_MOST_MS") : setting("SLOW_MS");
  if (ms > 0) usleep(ms * 1000);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  delay();
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return real(fd);
}
