// What is remembered and recorded, from a running gateway or, without one, from the data folder
// itself. Answers are the objects of the HTTP API either way.
#pragma once

#include <memory>
#include <string>

#include "cli/catalog_options.h"
#include "cli/gateway_client.h"
#include "invoke/store.h"

namespace toolgate {

class Records {
 public:
  virtual ~Records() = default;

  virtual const GatewayLink* gateway() const { return nullptr; }  // null: none runs

  virtual Result<std::string> approvals() = 0;             // GET /v1/approvals
  virtual Result<std::string> revoke(std::string id) = 0;  // DELETE /v1/approvals/{id}
  virtual Result<std::string> reset() = 0;                 // DELETE /v1/approvals
  // GET /v1/edits, of one workspace if it is named; GET /v1/edits/{id}; POST /v1/edits/{id}/undo
  virtual Result<std::string> edits(std::size_t limit, std::string workspace) = 0;
  virtual Result<std::string> edit(std::string id, bool force) = 0;
  virtual Result<std::string> undo(std::string id, bool force) = 0;
  virtual Result<std::string> audit(AuditQuery query) = 0;  // GET /v1/audit
  virtual Result<std::string> verify() = 0;                 // GET /v1/audit/verify
};

std::unique_ptr<Records> make_gateway_records(GatewayLink link);
Result<std::unique_ptr<Records>> open_local_records(const CatalogOptions& options);

// Of the gateway that runs, else of the folder.
Result<std::unique_ptr<Records>> open_records(const GatewayChoice& gateway,
                                              const CatalogOptions& options);

// "after=7&limit=100&order=desc…"
std::string write_audit_query(const AuditQuery& query);

}  // namespace toolgate
