/*
 * Preloaded into a process, lets `fdatasync` and `fsync` fail, as on a disk that is dying, once the file FLUSH_FAILS_AT
 * exists, and wait, as on a disk that is stalling, while the file FLUSH_WAITS_WHILE exists.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int flush(const char *name, int fd) {
  const char *mark = getenv("FLUSH_FAILS_AT");
  if (mark != NULL && access(mark, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  const char *held = getenv("FLUSH_WAITS_WHILE");
  while (held != NULL && access(held, F_OK) == 0) usleep(1000);
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return next(fd);
}

int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
