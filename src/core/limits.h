/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_LIMITS_H
#define ANET_CORE_LIMITS_H

/*
 * Every fixed bound of anet, with the reason for its number.  Untrusted bytes
 * never grow memory beyond these.  SPEC names the ones that are promises.
 */

/* Names.  SPEC S4.1. */
#define LIMIT_AGENT_NAME 32
#define LIMIT_INTERACTION_NAME 64
/* "AGENT-INTERACTION" */
#define LIMIT_SESSION_ID (LIMIT_AGENT_NAME + 1 + LIMIT_INTERACTION_NAME)

/* RFC 1035 2.3.4: a host name has at most 253 visible bytes. */
#define LIMIT_HOST_NAME 253
/* Longest model id seen is under 40 bytes; a deployment path may be longer. */
#define LIMIT_MODEL_NAME 127
/* A path prefix of an api_base, "/v1" or "/openai/deployments/x". */
#define LIMIT_BASE_PATH 255
/* Keys of the services known have 40 to 170 bytes. */
#define LIMIT_API_KEY 512
/* The bytes of the key end an answer (SPEC S6.9); a shorter key would end
 * answers that only hold a word. */
#define LIMIT_API_KEY_MIN 8

/* How long a service may take: to answer a connection attempt at one address,
 * for the TLS handshake, for the head of an answer, between two pieces of it.
 * A model thinks for minutes before the first byte of an answer that is not
 * streamed; streams have a ping at least once a minute. */
#define LIMIT_CONNECT_SECONDS 10
#define LIMIT_TLS_SECONDS 15
#define LIMIT_ANSWER_SECONDS 600
#define LIMIT_SILENCE_SECONDS 600
/* Three name servers, two attempts of 5 seconds each, and no more. */
#define LIMIT_RESOLVE_SECONDS 30
/* Addresses of one name: 2 to 8 are usual. */
#define LIMIT_ADDRESSES 16

/* The head of a request: agents send up to 1.5 KiB, and one JSON header of
 * about 1 KiB that grows with the number of work trees. */
#define LIMIT_HTTP_HEAD (32 * 1024)
#define LIMIT_HTTP_HEADERS 100
/* RFC 9112 3: recommended minimum for a request line. */
#define LIMIT_HTTP_REQUEST_LINE 8000
/* A chunk-size line: 16 hex digits, and extensions that nobody sends. */
#define LIMIT_HTTP_CHUNK_LINE 256

/* The head of a service's answer, with the interim ones before it: 30 fields
 * and 3 KiB are usual, cookies and reporting fields make up to 8 KiB. */
#define LIMIT_RESPONSE_HEAD (64 * 1024)
#define LIMIT_RESPONSE_FIELDS 128
/* Behind a chunked body: a checksum or a status, if anything. */
#define LIMIT_RESPONSE_TRAILERS 4096
/* 100 and 103 are the only ones in use, each at most once. */
#define LIMIT_RESPONSE_INTERIM 8

/* SPEC S6: one body; also what is forwarded after rewriting. */
#define LIMIT_BODY_BYTES (8u * 1024 * 1024)
/* SPEC S6.7: bounded depth and nodes.  Tool schemas nest to about 12. */
#define LIMIT_JSON_DEPTH 64
#define LIMIT_JSON_NODES 200000
/* Programs write a double with up to 24 bytes. */
#define LIMIT_JSON_NUMBER 64

/* SPEC S6, per turn (profile `peer`); 0 in a policy means unlimited. */
#define LIMIT_REQUESTS 60
#define LIMIT_COUNT_TOKENS 240
#define LIMIT_REQUEST_BYTES (16ull * 1024 * 1024)
#define LIMIT_CONNECTIONS_AT_ONCE 32
#define LIMIT_CONNECTIONS 600
/* What a run may cost whoever starts helpers: a burst, then so many a second. */
#define LIMIT_CONNECTION_BURST 32
#define LIMIT_CONNECTION_RATE 2
/* SPEC S8.  Hosts of one list; each is a way out for the task's data (S8.7). */
#define LIMIT_EGRESS_HOSTS 64
/* Per turn.  What may be open at once also holds for an operator's own runs. */
#define LIMIT_TUNNELS 256
#define LIMIT_TUNNELS_AT_ONCE 16
#define LIMIT_TUNNEL_SENT (32ull * 1024 * 1024)
#define LIMIT_TUNNEL_RECEIVED (512ull * 1024 * 1024)
/* The head of a CONNECT: clients send two to six fields, some 300 bytes. */
#define LIMIT_CONNECT_HEAD (8 * 1024)
/* A TLS hello: 300 bytes, with post-quantum shares 2 KiB; the handshake protocol
 * could have 16 MiB. */
#define LIMIT_CLIENT_HELLO (16 * 1024)
/* The head of a CONNECT, then the hello, are sent in one go by every client. */
#define LIMIT_TUNNEL_HEAD_SECONDS 10
#define LIMIT_TUNNEL_HELLO_SECONDS 10
/* A tunnel in which neither side says anything: a server may count the objects of
 * a large repository for minutes before it sends the first of them. */
#define LIMIT_TUNNEL_IDLE_SECONDS 300
/* SPEC S6.2. */
#define LIMIT_OUTPUT_TOKENS 8192

/* SPEC S2.8. */
#define LIMIT_MEMORY_BYTES (2ull * 1024 * 1024 * 1024)
#define LIMIT_TASKS 256
#define LIMIT_GROWTH_BYTES (2ull * 1024 * 1024 * 1024)
#define LIMIT_GROWTH_ENTRIES 200000
#define LIMIT_WALL_CLOCK_SECONDS 180

/* tmpfs of a run.  They count as its memory where a scope limits that; where
 * none does, these are the only bound. */
#define LIMIT_TMP_BYTES (512u * 1024 * 1024)
#define LIMIT_HOME_BYTES (512u * 1024 * 1024)
#define LIMIT_SHM_BYTES (64u * 1024 * 1024)
#define LIMIT_RUN_BYTES (16u * 1024 * 1024)

/* bwrap takes at most 9000 arguments, also from a file (bubblewrap.c,
 * MAX_ARGS); a mount needs three, the fixed part about 150, what is
 * protected in a workspace (core/protected.def) up to 200. */
#define LIMIT_MOUNTS 2800
/* argv and environment of the agent: MAX_ARG_STRLEN (128 KiB a string) is the
 * kernel's own bound, this one is for the whole. */
#define LIMIT_ARG_BYTES (2u * 1024 * 1024)

/* Files that a runtime's program finds in its home: one or two of some hundred
 * bytes are usual. */
#define LIMIT_HOME_FILES 64
#define LIMIT_HOME_FILE_BYTES (256 * 1024)
#define LIMIT_HOME_FILE_PATH 255
/* A task is one argument of a program, perhaps behind the name of an option: a
 * KiB less than MAX_ARG_STRLEN. */
#define LIMIT_TASK_BYTES (127u * 1024)

/* A person's or a helper's explanation, in a record. */
#define LIMIT_DETAIL 255

/* One line of a run's output in the journal; longer ones are several.  Each byte
 * may become four (\xHH). */
#define LIMIT_JOURNAL_LINE 1024
/* Lines of a run: a burst, then so many a second.  In journald's own interval of
 * 30 s (RateLimitBurst= 10000, journald.conf(5)) that leaves room for what anet
 * itself has to say of the session. */
#define LIMIT_JOURNAL_BURST 2000
#define LIMIT_JOURNAL_RATE 100
/* systemd.unit(5). */
#define LIMIT_UNIT_NAME 255

/* What `anet run --report` keeps of a run: different paths, addresses and names, the
 * longest of them, and the bytes of all.  A build asks for some thousands, most of
 * which are there; a person reads some dozens. */
#define LIMIT_SEEN_ITEMS 8192
#define LIMIT_SEEN_TEXT 1023
#define LIMIT_SEEN_BYTES (1024u * 1024)

#endif
