# One program for each file of the library; cmocka.  Parsers are fed whole and
# split at every byte.  A new test is a line here and, where it is linked with
# more than libcore, its own below.
if HAVE_CMOCKA
unit_tests =
unit_tests += tests/unit/test-address
unit_tests += tests/unit/test-api-base
unit_tests += tests/unit/test-agent
unit_tests += tests/unit/test-bwrap-message
unit_tests += tests/unit/test-cgroup
unit_tests += tests/unit/test-config
unit_tests += tests/unit/test-connect
unit_tests += tests/unit/test-effective
unit_tests += tests/unit/test-egress
unit_tests += tests/unit/test-dns-question
unit_tests += tests/unit/test-endpoint
unit_tests += tests/unit/test-gateway-status
unit_tests += tests/unit/test-home-files
unit_tests += tests/unit/test-hostname
unit_tests += tests/unit/test-http1
unit_tests += tests/unit/test-http1-chunked
unit_tests += tests/unit/test-http1-response
unit_tests += tests/unit/test-json-edit
unit_tests += tests/unit/test-json-file
unit_tests += tests/unit/test-json-scan
unit_tests += tests/unit/test-judge
unit_tests += tests/unit/test-judge-captures
unit_tests += tests/unit/test-judge-captures-openai
unit_tests += tests/unit/test-judge-chat
unit_tests += tests/unit/test-judge-content
unit_tests += tests/unit/test-judge-output
unit_tests += tests/unit/test-judge-responses
unit_tests += tests/unit/test-judge-responses-items
unit_tests += tests/unit/test-judge-tools
unit_tests += tests/unit/test-judge-write
unit_tests += tests/unit/test-model
unit_tests += tests/unit/test-model-data
unit_tests += tests/unit/test-needle
unit_tests += tests/unit/test-key
unit_tests += tests/unit/test-ledger
unit_tests += tests/unit/test-nearest
unit_tests += tests/unit/test-output
unit_tests += tests/unit/test-notify
unit_tests += tests/unit/test-outcome
unit_tests += tests/unit/test-package
unit_tests += tests/unit/test-probe-judge
unit_tests += tests/unit/test-program
unit_tests += tests/unit/test-protected
unit_tests += tests/unit/test-refused-record
unit_tests += tests/unit/test-report
unit_tests += tests/unit/test-retired
unit_tests += tests/unit/test-rules
unit_tests += tests/unit/test-rules-anthropic
unit_tests += tests/unit/test-run-env
unit_tests += tests/unit/test-run-record
unit_tests += tests/unit/test-runtime
unit_tests += tests/unit/test-sandbox
unit_tests += tests/unit/test-seccomp
unit_tests += tests/unit/test-selection
unit_tests += tests/unit/test-selection-mounts
unit_tests += tests/unit/test-session-dir
unit_tests += tests/unit/test-session-name
unit_tests += tests/unit/test-sse-end
unit_tests += tests/unit/test-strategies
unit_tests += tests/unit/test-status
unit_tests += tests/unit/test-template
unit_tests += tests/unit/test-tls-hello
unit_tests += tests/unit/test-tls-hello-clients
unit_tests += tests/unit/test-uid-range
unit_tests += tests/unit/test-watch
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

tests_unit_test_home_files_SOURCES = \
	src/init/home-files.c src/init/home-files.h tests/unit/temporary.h tests/unit/test-home-files.c
tests_unit_test_home_files_CFLAGS = $(AM_CFLAGS) -Wno-write-strings $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_home_files_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_package_SOURCES = tests/unit/temporary.h tests/unit/test-package.c
tests_unit_test_package_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_package_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_template_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_template_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)
tests_unit_test_refused_record_SOURCES = \
	tests/unit/temporary.h tests/unit/test-refused-record.c
tests_unit_test_refused_record_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_refused_record_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_model_SOURCES = tests/unit/temporary.h tests/unit/test-model.c
tests_unit_test_model_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_model_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_model_data_SOURCES = \
	tests/unit/temporary.h tests/unit/test-model-data.c
tests_unit_test_model_data_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_model_data_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_api_base_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_api_base_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_address_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_address_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_bwrap_message_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_bwrap_message_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_cgroup_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cgroup_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_connect_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_connect_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_dns_question_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_dns_question_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_tls_hello_SOURCES = tests/unit/hello-writer.h tests/unit/test-tls-hello.c
tests_unit_test_tls_hello_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tls_hello_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_tls_hello_clients_SOURCES = \
	tests/unit/hello-writer.h tests/unit/test-tls-hello-clients.c
tests_unit_test_tls_hello_clients_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tls_hello_clients_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_watch_SOURCES = \
	src/watch/place.c \
	tests/unit/test-watch.c
tests_unit_test_watch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_watch_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_gateway_status_SOURCES = \
	src/gateway/gateway-status.c \
	tests/unit/test-gateway-status.c
tests_unit_test_gateway_status_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gateway_status_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_endpoint_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_endpoint_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_ledger_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_ledger_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_hostname_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_hostname_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_http1_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http1_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_http1_chunked_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http1_chunked_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_http1_response_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http1_response_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_json_scan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_json_scan_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_sse_end_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sse_end_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_sandbox_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sandbox_LDADD = libos.a $(CMOCKA_LIBS)

tests_unit_test_seccomp_SOURCES = \
	src/build/constants.c \
	src/build/filter-build.c \
	src/build/filter-list.c \
	src/build/filter-print.c \
	tests/unit/bpf-simulator.c \
	tests/unit/bpf-simulator.h \
	tests/unit/test-sandbox \
	tests/unit/test-seccomp.c
tests_unit_test_seccomp_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_seccomp_LDADD = $(SECCOMP_LIBS) $(CMOCKA_LIBS)
EXTRA_DIST += tests/golden/seccomp

tests_unit_test_judge_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge.c
tests_unit_test_judge_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_captures_openai_SOURCES = tests/unit/judge-captures.h tests/unit/judge-rows.h \
	tests/unit/test-judge-captures-openai.c
tests_unit_test_judge_captures_openai_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_captures_openai_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_captures_SOURCES = tests/unit/judge-captures.h tests/unit/judge-rows.h \
	tests/unit/test-judge-captures.c
tests_unit_test_judge_captures_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_captures_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_chat_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-chat.c
tests_unit_test_judge_chat_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_chat_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_content_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-content.c
tests_unit_test_judge_content_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_content_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_output_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-output.c
tests_unit_test_judge_output_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_output_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_responses_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-responses.c
tests_unit_test_judge_responses_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_responses_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_responses_items_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-responses-items.c
tests_unit_test_judge_responses_items_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_responses_items_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_tools_SOURCES = tests/unit/judge-rows.h tests/unit/test-judge-tools.c
tests_unit_test_judge_tools_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_tools_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_judge_write_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_judge_write_LDADD = libjudge.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_rules_SOURCES = tests/unit/test-rules.c man/rules-bodies.c man/rules-bodies.h \
	man/rules-walk.c man/rules-walk.h
tests_unit_test_rules_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_rules_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_rules_LDADD = libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_rules_anthropic_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_rules_anthropic_LDADD = libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_needle_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_needle_LDADD = libcore.a $(CMOCKA_LIBS)
# Parts of the command.  -Wno-write-strings: lists of strings as argv is one.
cli_test_libs = libcli.a libstrategies.a libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_agent_SOURCES = tests/unit/config-case.h tests/unit/temporary.h tests/unit/test-agent.c
tests_unit_test_agent_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_agent_LDADD = $(cli_test_libs)

tests_unit_test_egress_SOURCES = tests/unit/config-case.h tests/unit/temporary.h tests/unit/test-egress.c
tests_unit_test_egress_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_egress_LDADD = $(cli_test_libs)

tests_unit_test_effective_SOURCES = tests/unit/config-case.h tests/unit/temporary.h tests/unit/test-effective.c
tests_unit_test_effective_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_effective_LDADD = $(cli_test_libs)

tests_unit_test_retired_SOURCES = tests/unit/config-case.h tests/unit/temporary.h tests/unit/test-retired.c
tests_unit_test_retired_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_retired_LDADD = $(cli_test_libs)

tests_unit_test_config_SOURCES = tests/unit/config-case.h tests/unit/temporary.h tests/unit/test-config.c
tests_unit_test_config_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_config_LDADD = $(cli_test_libs)

tests_unit_test_json_edit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_json_edit_LDADD = libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_json_file_SOURCES = tests/unit/temporary.h tests/unit/test-json-file.c
tests_unit_test_json_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_json_file_LDADD = $(cli_test_libs)

tests_unit_test_key_SOURCES = tests/unit/temporary.h tests/unit/test-key.c
tests_unit_test_key_CFLAGS = $(AM_CFLAGS) -Wno-write-strings $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_key_LDADD = $(cli_test_libs)

tests_unit_test_nearest_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_nearest_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_selection_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_selection_LDADD = $(product_libs) $(CMOCKA_LIBS)

tests_unit_test_selection_mounts_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_selection_mounts_LDADD = $(product_libs) $(CMOCKA_LIBS)

tests_unit_test_strategies_SOURCES = tests/unit/temporary.h tests/unit/test-strategies.c
tests_unit_test_strategies_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_strategies_LDADD = $(product_libs) $(CMOCKA_LIBS)

tests_unit_test_outcome_SOURCES = src/outcome/decide.c tests/unit/test-outcome.c
tests_unit_test_outcome_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_outcome_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_output_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_output_LDADD = $(cli_test_libs)

tests_unit_test_probe_judge_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_probe_judge_LDADD = libstrategies.a libconfig.a libos.a libcore.a $(CMOCKA_LIBS) $(JSON_LIBS)

tests_unit_test_program_SOURCES = tests/unit/temporary.h tests/unit/test-program.c
tests_unit_test_program_CFLAGS = $(AM_CFLAGS) -Wno-write-strings $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_program_LDADD = $(cli_test_libs)

tests_unit_test_protected_SOURCES = tests/unit/test-protected.c
tests_unit_test_protected_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_protected_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_report_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_report_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_run_env_CFLAGS = $(AM_CFLAGS) -Wno-write-strings $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_run_env_LDADD = $(cli_test_libs)

tests_unit_test_run_record_CFLAGS = $(AM_CFLAGS) -Wno-write-strings $(CMOCKA_CFLAGS)
tests_unit_test_run_record_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_runtime_SOURCES = tests/unit/temporary.h tests/unit/test-runtime.c
tests_unit_test_runtime_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_runtime_LDADD = $(cli_test_libs)

tests_unit_test_notify_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_notify_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_session_dir_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_session_dir_LDADD = libos.a libcore.a $(CMOCKA_LIBS)

tests_unit_test_session_name_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_session_name_LDADD = libcore.a $(CMOCKA_LIBS)

tests_unit_test_status_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_status_LDADD = $(cli_test_libs)

tests_unit_test_uid_range_SOURCES = tests/unit/temporary.h tests/unit/test-uid-range.c
tests_unit_test_uid_range_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_uid_range_LDADD = libos.a libcore.a $(CMOCKA_LIBS)
endif

# Compiles, or the records of the tests in Python have to follow.
check_PROGRAMS += tests/unit/test-records
TESTS += tests/unit/test-records

EXTRA_DIST += tests/agents/captures
