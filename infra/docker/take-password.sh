# Gives the superuser of Postgres the password that stands in the secrets: on its own socket the server asks for none.
set -e
password=$(cat /run/holdfast/password)
echo "alter user postgres password :'password';" |
  psql --no-psqlrc --quiet --username=postgres --dbname=postgres --set=password="$password" --set=ON_ERROR_STOP=1
echo 'Postgres has the POSTGRES_PASSWORD of the secrets now.'
