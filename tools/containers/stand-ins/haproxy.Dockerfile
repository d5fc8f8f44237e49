# Stands in for the image haproxy: Debian's version, with the file name of the official image.
FROM localhost/webagent-stand-in/debian:bookworm-slim
RUN apt-get update -q && apt-get install -q -y --no-install-recommends haproxy wget
STOPSIGNAL SIGUSR1
USER haproxy
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
