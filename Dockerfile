# The app on a folder of runs: see compose.yaml beside this file.
FROM python:3.11-slim-bookworm

WORKDIR /src
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY reviewscore reviewscore
COPY prompts prompts
RUN pip install --no-cache-dir --no-deps .

# The runs, and in .reviewscore the ledger of paid calls and settings.
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
WORKDIR /data
ENV HOME=/data/.reviewscore
USER 1000:1000

# In its container the app listens to all; what is published of it is an address of the machine, and
# nobody is let in without the key in the address that it prints.
EXPOSE 8793
ENTRYPOINT ["reviewscore"]
CMD ["view", "/data", "--no-browser", "--host", "0.0.0.0", "--public-url", "http://127.0.0.1:8793"]
