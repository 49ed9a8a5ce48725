/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gateway/gateway-status.h"

#include <stddef.h>

static const struct status statuses[] = {
	{400, "Bad Request", "invalid_request_error"},
	{401, "Unauthorized", "authentication_error"},
	{403, "Forbidden", "permission_error"},
	{404, "Not Found", "not_found_error"},
	{405, "Method Not Allowed", "invalid_request_error"},
	{408, "Request Timeout", "invalid_request_error"},
	{411, "Length Required", "invalid_request_error"},
	{413, "Content Too Large", "request_too_large"},
	{415, "Unsupported Media Type", "invalid_request_error"},
	{417, "Expectation Failed", "invalid_request_error"},
	{426, "Upgrade Required", "invalid_request_error"},
	{431, "Request Header Fields Too Large", "invalid_request_error"},
	{500, "Internal Server Error", "api_error"},
	{502, "Bad Gateway", "api_error"},
	{503, "Service Unavailable", "api_error"},
	{504, "Gateway Timeout", "timeout_error"},
	{505, "HTTP Version Not Supported", "invalid_request_error"},
};

const struct status *status_find(int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return NULL;
}

const char *status_openai(int status)
{
	return status < 500 ? "invalid_request_error" : "server_error";
}
