# Stands in for the image postgres: Debian's version, with the variables and the volume of the official image.
FROM localhost/webagent-stand-in/debian:bookworm-slim
# without the database that the package creates
RUN apt-get update -q && apt-get install -q -y --no-install-recommends postgresql-common \
  && sed -i 's/^#*create_main_cluster .*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
  && apt-get install -q -y --no-install-recommends postgresql-15 && rm -rf /var/lib/postgresql/* \
  && install -d -o postgres -g postgres /var/run/postgresql
COPY postgres.sh /postgres.sh
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/postgres.sh"]
