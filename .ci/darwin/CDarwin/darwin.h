// Declarations of the C library of Apple's systems that Daybook's sources use, for type-checking where there is no SDK.
// Names, types, constants and nullability are those of the public headers of xnu, Libc and libpthread.
#pragma once

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned long size_t;
typedef long ssize_t;

typedef int32_t dev_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef uint64_t ino_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t pid_t;
typedef int64_t off_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t sigset_t;

// MARK: sys/errno.h

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EDEADLK 11
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ETIMEDOUT 60
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOSYS 78
#define EOVERFLOW 84
#define EOPNOTSUPP 102

int *__error(void);

// MARK: sys/time.h, time.h

struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};
typedef enum {
  _CLOCK_REALTIME __attribute__((__swift_name__("CLOCK_REALTIME"))) = 0,
  _CLOCK_MONOTONIC __attribute__((__swift_name__("CLOCK_MONOTONIC"))) = 6,
  _CLOCK_PROCESS_CPUTIME_ID __attribute__((__swift_name__("CLOCK_PROCESS_CPUTIME_ID"))) = 12,
  _CLOCK_THREAD_CPUTIME_ID __attribute__((__swift_name__("CLOCK_THREAD_CPUTIME_ID"))) = 16
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);
int nanosleep(const struct timespec *wanted, struct timespec *rest);

// MARK: sys/fcntl.h

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_EVTONLY 0x00008000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_GETFD 1
#define F_SETFD 2
#define F_DUPFD_CLOEXEC 67
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 7
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define FD_CLOEXEC 1
#define F_UNLCK 2
#define F_WRLCK 3
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
struct flock {
  off_t l_start;
  off_t l_len;
  pid_t l_pid;
  short l_type;
  short l_whence;
};
int open(const char *path, int flags, ...);
int fcntl(int descriptor, int command, ...);
int flock(int descriptor, int operation);

// MARK: sys/stat.h

struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *path, struct stat *information);
int lstat(const char *path, struct stat *information);
int fstat(int descriptor, struct stat *information);
int mkdir(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);

// MARK: dirent.h

typedef struct {
  int __dd_fd;
} DIR;
struct dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
DIR *opendir(const char *path);
struct dirent *readdir(DIR *stream);
int closedir(DIR *stream);

// MARK: unistd.h, stdio.h, stdlib.h, string.h

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define F_OK 0
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58
int access(const char *path, int mode);
int close(int descriptor);
int fchown(int descriptor, uid_t owner, gid_t group);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t length);
pid_t getpid(void);
int gethostname(char *name, size_t length);
int isatty(int descriptor);
int link(const char *path, const char *other);
off_t lseek(int descriptor, off_t offset, int whence);
int pipe(int ends[2]);
int dup2(int old, int new);
ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset);
ssize_t pwrite(int descriptor, const void *buffer, size_t count, off_t offset);
ssize_t read(int descriptor, void *buffer, size_t count);
ssize_t write(int descriptor, const void *buffer, size_t count);
int rename(const char *path, const char *other);
int rmdir(const char *path);
void sync(void);
long sysconf(int name);
int unlink(const char *path);
void _exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
void exit(int status) __attribute__((noreturn));
void free(void *memory);
char *getenv(const char *name);
char *mkdtemp(char *name);
int mkstemp(char *name);
char *realpath(const char *path, char *resolved);
void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *bytes, const void *other, size_t count);
void *memset(void *bytes, int byte, size_t count);
char *strdup(const char *text);
int strerror_r(int code, char *buffer, size_t count);

// MARK: sys/mman.h

#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
#define MAP_NORESERVE 0x0040
#define MAP_ANON 0x1000
#define MAP_ANONYMOUS MAP_ANON
void *mmap(void *address, size_t count, int protection, int flags, int descriptor, off_t offset);
int munmap(void *address, size_t count);

// MARK: sys/event.h

#define EVFILT_VNODE (-4)
#define EVFILT_USER (-10)
#define EV_ADD 0x0001
#define EV_CLEAR 0x0020
#define NOTE_TRIGGER 0x01000000
#define NOTE_DELETE 0x00000001
#define NOTE_WRITE 0x00000002
#define NOTE_EXTEND 0x00000004
#define NOTE_RENAME 0x00000020
#pragma pack(4)
struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void *udata;
};
#pragma pack()
int kqueue(void);
int kevent(
    int queue, const struct kevent *changes, int changeCount, struct kevent *events,
    int eventCount, const struct timespec *timeout);

// MARK: sys/poll.h

#define POLLIN 0x0001
#define POLLOUT 0x0004
#define POLLERR 0x0008
typedef unsigned int nfds_t;
struct pollfd {
  int fd;
  short events;
  short revents;
};
int poll(struct pollfd *polled, nfds_t count, int timeout);

// MARK: signal.h

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSTOP 17
#define SIGWINCH 28
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 18
#define SIGCONT 19
#define SIG_UNBLOCK 2
typedef void (*sig_t)(int);
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
int kill(pid_t process, int number);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
union __sigaction_u {
  void (*__sa_handler)(int);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
#define SA_RESTART 0x0002
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);

// MARK: termios.h, sys/ttycom.h, sys/ioctl.h

#define NCCS 20
#define ECHO 0x00000008
#define ICANON 0x00000100
#define TCSANOW 0
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[NCCS];
  speed_t c_ispeed;
  speed_t c_ospeed;
};
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};
int tcgetattr(int descriptor, struct termios *settings);
int tcsetattr(int descriptor, int when, const struct termios *settings);
int ioctl(int descriptor, unsigned long request, ...);

// MARK: spawn.h, sys/wait.h

typedef void *posix_spawn_file_actions_t;
typedef void *posix_spawnattr_t;
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int old, int new);
int posix_spawnattr_init(posix_spawnattr_t *attributes);
int posix_spawnattr_destroy(posix_spawnattr_t *attributes);
int posix_spawnattr_setsigmask(posix_spawnattr_t *attributes, const sigset_t *signals);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *attributes, const sigset_t *signals);
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags);
#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);
int posix_spawnp(
    pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
    __attribute__((availability(tvos, unavailable)))
    __attribute__((availability(watchos, unavailable)));
pid_t waitpid(pid_t process, int *status, int options);
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
typedef unsigned int id_t;
typedef struct {
  int si_signo;
  int si_code;
  pid_t si_pid;
  int si_status;
} siginfo_t;
#define WEXITED 0x00000004
#define WNOWAIT 0x00000020
int waitid(idtype_t kind, id_t identifier, siginfo_t *information, int options);

// MARK: dlfcn.h, mach-o/dyld.h, malloc/malloc.h

void *dlsym(void *handle, const char *symbol);
int _NSGetExecutablePath(char *buffer, uint32_t *byteCount);
typedef struct _malloc_zone_t malloc_zone_t;
size_t malloc_zone_pressure_relief(malloc_zone_t *zone, size_t goal);

// MARK: mach

typedef int kern_return_t;
typedef int integer_t;
typedef unsigned int natural_t;
typedef natural_t mach_port_t;
typedef natural_t mach_port_name_t;
typedef mach_port_t task_name_t;
typedef natural_t task_flavor_t;
typedef integer_t *task_info_t;
typedef natural_t mach_msg_type_number_t;
typedef uint64_t mach_vm_size_t;
typedef uint64_t mach_vm_address_t;
#define KERN_SUCCESS 0
#define TASK_VM_INFO 22
#pragma pack(4)
struct task_vm_info {
  mach_vm_size_t virtual_size;
  integer_t region_count;
  integer_t page_size;
  mach_vm_size_t resident_size;
  mach_vm_size_t resident_size_peak;
  mach_vm_size_t device;
  mach_vm_size_t device_peak;
  mach_vm_size_t internal;
  mach_vm_size_t internal_peak;
  mach_vm_size_t external;
  mach_vm_size_t external_peak;
  mach_vm_size_t reusable;
  mach_vm_size_t reusable_peak;
  mach_vm_size_t purgeable_volatile_pmap;
  mach_vm_size_t purgeable_volatile_resident;
  mach_vm_size_t purgeable_volatile_virtual;
  mach_vm_size_t compressed;
  mach_vm_size_t compressed_peak;
  mach_vm_size_t compressed_lifetime;
  mach_vm_size_t phys_footprint;
};
#pragma pack()
typedef struct task_vm_info task_vm_info_data_t;
mach_port_name_t task_self_trap(void);
kern_return_t task_info(
    task_name_t task, task_flavor_t flavor, task_info_t facts, mach_msg_type_number_t *count);

// MARK: pthread.h

#define BLOCKING __attribute__((__swift_attr__( \
    "@_unavailableFromAsync(message: \"Use an asynchronous wait instead of a synchronous wait\")")))

#pragma clang assume_nonnull begin
struct _opaque_pthread_t {
  long __sig;
  char __opaque[8184];
};
typedef struct _opaque_pthread_t *pthread_t;
typedef struct {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
typedef struct {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
typedef struct {
  long __sig;
  char __opaque[40];
} pthread_cond_t;
typedef struct {
  long __sig;
  char __opaque[8];
} pthread_condattr_t;
typedef unsigned long pthread_key_t;
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t byteCount);
int pthread_create(
    pthread_t _Nullable *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
    void *_Nullable (*_Nonnull start)(void *), void *_Nullable argument);
int pthread_detach(pthread_t thread);
BLOCKING int pthread_join(pthread_t thread, void *_Nullable *_Nullable result);
int pthread_key_create(pthread_key_t *key, void (*_Nullable destructor)(void *));
void *_Nullable pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *_Nullable value);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *_Nullable attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
BLOCKING int pthread_mutex_lock(pthread_mutex_t *mutex);
BLOCKING int pthread_mutex_trylock(pthread_mutex_t *mutex);
BLOCKING int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_cond_init(
    pthread_cond_t *condition, const pthread_condattr_t *_Nullable attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
BLOCKING int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
BLOCKING int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *_Nullable time);
BLOCKING int pthread_cond_timedwait_relative_np(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *_Nullable time);
// sys/resource.h
#define RLIMIT_NOFILE 8
typedef unsigned long long rlim_t;
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);
#pragma clang assume_nonnull end
