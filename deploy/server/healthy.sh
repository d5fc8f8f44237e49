# Exits with 0 if the server in this container returns 200 for a path: bash healthy.sh /ready
# In bash alone, because a Node every few seconds would need 40 MB.
exec 3<>"/dev/tcp/127.0.0.1/${WEBAGENT_SERVER_PORT:-8080}" || exit 1
printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
read -r -t 2 _ status _ <&3 && [ "$status" = 200 ]
