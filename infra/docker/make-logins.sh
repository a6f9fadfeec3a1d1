# Makes the logins, or gives them their present passwords. A volume of Postgres keeps the password of its superuser from its
# first start, whatever became of the secrets since.
set -a
. /run/holdfast/env
output=$(psql --no-psqlrc --quiet --file=/logins.sql 2>&1)
status=$?
[ -z "$output" ] || printf '%s\n' "$output" >&2
case $output in
*'password authentication failed'*)
  echo 'Postgres keeps a password that is not the POSTGRES_PASSWORD of the secrets, which were set anew or lost: give it that one with "docker compose exec postgres sh /take-password.sh", and start again with "docker compose up".' >&2
  exit 78
  ;;
esac
exit $status
