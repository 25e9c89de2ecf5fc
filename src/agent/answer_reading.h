// Reading one answer of a model, whatever becomes of it: agent/pass_through and auto_execute share
// this.
#pragma once

#include <string>

#include "models/provider.h"
#include "wire/openai_stream.h"

namespace toolgate {

// Counts a long prompt beside the loop; a short one is counted when its number is asked for.
Task<> count_prompt(const ProviderCall& call, TokenMeter& meter, const Cancel& cancel);

StreamOptions make_stream_options(const ProviderCall& call, TokenMeter* meter, TurnReport report);

// Feeds what has arrived to the normaliser.
Result<StreamState> add_arrived(ChunkSource& source, ChatStreamNormalizer& stream,
                                std::string& out);

// What the client is told of a failure while the gateway stops.
Error in_shutdown(Error error, const Cancel& cancel);

// The error that stands in an answer's status, if one does.
std::optional<ErrorBody> failed_status(const ProviderReply& reply);

}  // namespace toolgate
