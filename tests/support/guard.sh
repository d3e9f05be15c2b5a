#!/bin/sh
# Removes folders when the process that has started this script ends for any reason, and first ends all processes that
# still use them, such as a database server. Each line of the standard input is the path of a folder. The input ends when
# that process ends. A folder that does not exist any more is left alone, because a complete run removes it itself.
trap '' HUP INT TERM

folders=''
while IFS= read -r folder; do
  folders="$folders$folder
"
done

# Prints the ids of the processes whose command line, environment or working folder contains the path. The path is not
# an argument of grep, because grep would then find itself. Without /proc, only the servers of Postgres are found.
users() {
  {
    printf '%s\n' "$1" | grep -laFsf - /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
    for link in /proc/[0-9]*/cwd; do
      case $(readlink "$link" 2>/dev/null) in
        "$1" | "$1"/*) printf '%s\n' "$link" | cut -d/ -f3 ;;
      esac
    done
    if [ ! -d /proc/self ]; then
      find "$1" -name postmaster.pid -exec head -n 1 {} \; 2>/dev/null
    fi
  } | sort -u | grep -vx "$$"
}

printf '%s' "$folders" | while IFS= read -r folder; do
  [ -d "$folder" ] || continue
  attempt=0
  while [ "$attempt" -lt 150 ]; do
    ids=$(users "$folder")
    [ -n "$ids" ] || break
    for id in $ids; do
      # Postgres releases its shared memory at SIGQUIT, but not at SIGKILL. On a busy machine, that takes seconds.
      if [ "$attempt" -lt 100 ] && [ "$(ps -o comm= -p "$id" 2>/dev/null)" = postgres ]; then
        kill -QUIT "$id" 2>/dev/null
      else
        kill -KILL "$id" 2>/dev/null
      fi
    done
    attempt=$((attempt + 1))
    sleep 0.1
  done
  rm -rf "$folder" || { sleep 1 && rm -rf "$folder"; }
done
