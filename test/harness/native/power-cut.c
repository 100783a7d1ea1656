/*
 * Preloaded into a process, keeps what it has flushed apart from what it has written: `fsync` and `fdatasync` copy the file,
 * or the names in a folder, into POWER_KEPT instead of waiting for the disk. After a SIGKILL, only what is there has
 * survived the loss of power. One write in POWER_EARLY reaches it at once, out of order, as the system may do with any page.
 * With POWER_SWALLOW, nothing is flushed at all.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *root, *kept;
static int early, swallows;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static int turns = -1;

/* One flush at a time, of all processes: an older copy must not overwrite a newer one. */
static void takeTurn(void) {
  pthread_mutex_lock(&one);
  flock(turns, LOCK_EX);
}
static void endTurn(void) {
  flock(turns, LOCK_UN);
  pthread_mutex_unlock(&one);
}

__attribute__((constructor)) static void begin(void) {
  root = getenv("POWER_ROOT");
  kept = getenv("POWER_KEPT");
  swallows = getenv("POWER_SWALLOW") != NULL;
  early = getenv("POWER_EARLY") ? atoi(getenv("POWER_EARLY")) : 0;
  srandom(getpid());
  char path[4096];
  snprintf(path, sizeof path, "%s/turns", kept ? kept : "/nowhere");
  turns = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int isWatched(int fd) {
  char link[64], path[4096];
  if (!root || !kept) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, root, strlen(root)) == 0;
}

/* An inode number returns with another file; with its time of birth it does not. */
static int keyOf(int folder, const char *name, char *key, size_t size, unsigned short *mode) {
  struct statx found;
  int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
  if (statx(folder, name, flags, STATX_INO | STATX_BTIME | STATX_MODE, &found) != 0) return -1;
  long long born = found.stx_btime.tv_sec * 1000000000LL + found.stx_btime.tv_nsec;
  snprintf(key, size, "%llu-%lld", (unsigned long long)found.stx_ino, born);
  *mode = found.stx_mode;
  return 0;
}

static int openKept(const char *kind, const char *key) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s/%s", kept, kind, key);
  return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static ssize_t (*realWrite)(int, const void *, size_t, off_t);
static ssize_t writeAt(int fd, const void *bytes, size_t count, off_t at) {
  if (!realWrite) realWrite = dlsym(RTLD_NEXT, "pwrite64");
  return realWrite(fd, bytes, count, at);
}

static void keepNames(int fd, const char *key) {
  char path[4096], draft[4200], child[64];
  unsigned short mode;
  snprintf(path, sizeof path, "%s/folders/%s", kept, key);
  snprintf(draft, sizeof draft, "%s.draft", path);
  FILE *list = fopen(draft, "w");
  int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = again < 0 ? NULL : fdopendir(again);
  if (!list || !folder) abort();
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (keyOf(fd, entry->d_name, child, sizeof child, &mode) == 0)
      fprintf(list, "%s %s %s\n", S_ISDIR(mode) ? "folder" : "file", child, entry->d_name);
  }
  closedir(folder);
  fclose(list);
  rename(draft, path);
}

static void keepContent(int fd, const char *key) {
  static char bytes[1 << 20];
  struct stat found;
  int from = fd, to = openKept("files", key);
  char link[64];
  off_t at = 0;
  if (to < 0 || fstat(fd, &found) != 0) abort();
  for (;;) {
    ssize_t count = pread64(from, bytes, sizeof bytes, at);
    if (count < 0 && errno == EBADF && from == fd) {
      /* Open for writing only. Never done with SQLite's files: closing this descriptor would drop its locks. */
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      from = open(link, O_RDONLY | O_CLOEXEC);
      if (from < 0) abort();
      continue;
    }
    if (count < 0) abort();
    if (count == 0) break;
    writeAt(to, bytes, count, at);
    at += count;
  }
  ftruncate(to, at);
  if (from != fd) close(from);
  close(to);
}

static int flush(int fd) {
  char key[64];
  unsigned short mode;
  if (swallows || !isWatched(fd)) return 0;
  if (keyOf(fd, "", key, sizeof key, &mode) != 0) return -1;
  takeTurn();
  if (S_ISDIR(mode)) keepNames(fd, key);
  else keepContent(fd, key);
  endTurn();
  return 0;
}

int fsync(int fd) { return flush(fd); }
int fdatasync(int fd) { return flush(fd); }

static ssize_t writeEarly(int fd, const void *bytes, size_t count, off_t at) {
  char key[64];
  unsigned short mode;
  ssize_t written = writeAt(fd, bytes, count, at);
  if (written <= 0 || !early || random() % early || swallows || !isWatched(fd)) return written;
  if (keyOf(fd, "", key, sizeof key, &mode) != 0) return written;
  takeTurn();
  int to = openKept("files", key);
  if (to >= 0) {
    /* What is there by now: another thread may have written over it. */
    char *now = malloc(written);
    ssize_t count = now ? pread64(fd, now, written, at) : -1;
    if (count > 0) writeAt(to, now, count, at);
    free(now);
    close(to);
  }
  endTurn();
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return writeEarly(fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) { return writeEarly(fd, bytes, count, at); }
