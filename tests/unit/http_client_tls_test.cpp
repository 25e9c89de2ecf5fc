// HttpClient over TLS, against a certificate made here and trusted through SSL_CERT_FILE.
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "raw_socket.h"
#include "temporary_folder.h"
#include "test_client.h"

namespace toolgate {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;

// A certificate that names one host and is signed by its own key.
class Identity {
 public:
  explicit Identity(const std::string& host) : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509* const made = certificate_.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key_.get());
    X509_NAME* const name = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1, 0);
    X509_set_issuer_name(made, name);
    add_extension(NID_subject_alt_name, "DNS:" + host);
    add_extension(NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(made, key_.get(), EVP_sha256());
  }

  std::string pem() const {
    const Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), certificate_.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
  }
  Context server_context() const {
    Context context(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(context.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context.get(), key_.get());
    return context;
  }

 private:
  void add_extension(int kind, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(certificate_.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }

  Key key_;
  Certificate certificate_;
};

// The server's side of one TLS connection.
class TlsPeer {
 public:
  TlsPeer(RawSocket socket, SSL_CTX* context)
      : socket_(std::move(socket)), session_(SSL_new(context)) {
    SSL_set_fd(session_.get(), socket_.descriptor());
    accepted_ = SSL_accept(session_.get()) == 1;
  }

  bool accepted() const { return accepted_; }
  std::string server_name() const {
    const char* const name = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
    return name ? name : "";
  }
  std::string receive_head() {
    std::string text;
    char c = 0;
    while (!text.ends_with("\r\n\r\n") && SSL_read(session_.get(), &c, 1) == 1) text += c;
    return text;
  }
  std::string receive(std::size_t size) {
    std::string text(size, '\0');
    std::size_t have = 0;
    std::size_t count = 0;
    while (have < size && SSL_read_ex(session_.get(), text.data() + have, size - have, &count) == 1)
      have += count;
    text.resize(have);
    return text;
  }
  void send(std::string_view bytes) {
    SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
  void end() { SSL_shutdown(session_.get()); }
  void close() { socket_.close(); }

 private:
  RawSocket socket_;
  Session session_;
  bool accepted_ = false;
};

class HttpClientTls : public testing::Test {
 protected:
  HttpClientTls() {
    if (const char* const value = std::getenv("SSL_CERT_FILE")) before_ = value;
  }
  ~HttpClientTls() override {
    if (before_)
      ::setenv("SSL_CERT_FILE", before_->c_str(), 1);
    else
      ::unsetenv("SSL_CERT_FILE");
  }

  // Only this one; before a client is made.
  void trust(const Identity& identity) {
    ::setenv("SSL_CERT_FILE", folder_.write("trusted.pem", identity.pem()).c_str(), 1);
  }
  std::string url(std::string_view host = "localhost") const {
    return fmt::format("https://{}:{}", host, listener_.port());
  }
  // The error of a request to a server with `identity`.
  Error refusal(const Identity& identity) {
    TestClient client(url());
    auto answer = client.send();
    const auto context = identity.server_context();
    TlsPeer peer(listener_.accept(), context.get());
    if (peer.accepted()) EXPECT_EQ(peer.receive_head(), "") << "the request was sent";
    const auto got = get_soon(std::move(answer));
    return got.error.value_or(Error{});
  }

  TemporaryFolder folder_;
  RawListener listener_;
  std::optional<std::string> before_;
};

TEST_F(HttpClientTls, SpeaksWithATrustedServerAndKeepsTheConnection) {
  const Identity identity("localhost");
  trust(identity);
  TestClient client(url());
  const std::string body(1'000'000, 'b');
  auto first = client.send(body);
  const auto context = identity.server_context();
  TlsPeer peer(listener_.accept(), context.get());
  ASSERT_TRUE(peer.accepted());
  EXPECT_EQ(peer.server_name(), "localhost");
  EXPECT_NE(peer.receive_head().find("POST /x HTTP/1.1\r\n"), std::string::npos);
  EXPECT_TRUE(peer.receive(body.size()) == body);
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst");
  EXPECT_EQ(get_soon(std::move(first)).body, "first");

  auto second = client.send();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) peer.send("1\r\nx\r\n");
  peer.send("0\r\n\r\n");
  EXPECT_EQ(get_soon(std::move(second)).body, "xxx");
}

TEST_F(HttpClientTls, AnUntrustedServerIsRefused) {
  trust(Identity("localhost"));
  const Error error = refusal(Identity("localhost"));
  EXPECT_EQ(error.code, Errc::UpstreamUnreachable);
  EXPECT_NE(error.message.find("localhost"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("certificate verify failed"), std::string::npos) << error.message;
}

TEST_F(HttpClientTls, AServerWithAnotherNameIsRefused) {
  const Identity other("other.example");
  trust(other);
  const Error error = refusal(other);
  EXPECT_EQ(error.code, Errc::UpstreamUnreachable);
  EXPECT_NE(error.message.find("certificate verify failed"), std::string::npos) << error.message;
}

TEST_F(HttpClientTls, AServerWithoutTlsIsRefused) {
  TestClient client(url());
  auto answer = client.send();
  auto peer = listener_.accept();
  peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamUnreachable);
  EXPECT_NE(got.error->message.find("TLS handshake"), std::string::npos) << got.error->message;
}

TEST_F(HttpClientTls, AHandshakeThatTakesTooLongIsATimeout) {
  TestClient client(url());
  client.times.connect = std::chrono::milliseconds(50);
  auto answer = client.send();
  auto peer = listener_.accept();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamTimeout) << got.error->message;
}

TEST_F(HttpClientTls, CancellingEndsTheHandshake) {
  TestClient client(url());
  auto answer = client.send();
  auto peer = listener_.accept();
  client.cancel();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::Cancelled);
  peer.receive_to_end();
}

// Anyone on the way could have cut it: only the server's own word ends a body without a length.
TEST_F(HttpClientTls, ABodyUntilTheEndMustBeEndedByTheServer) {
  const Identity identity("localhost");
  trust(identity);
  const auto context = identity.server_context();
  for (const bool ended : {true, false}) {
    TestClient client(url());
    auto answer = client.send();
    TlsPeer peer(listener_.accept(), context.get());
    ASSERT_TRUE(peer.accepted());
    peer.receive_head();
    peer.send("HTTP/1.1 200 OK\r\n\r\nall of it");
    if (ended) peer.end();
    peer.close();
    const auto got = get_soon(std::move(answer));
    EXPECT_EQ(got.error.has_value(), !ended);
    if (ended) EXPECT_EQ(got.body, "all of it");
  }
}

}  // namespace
}  // namespace toolgate
