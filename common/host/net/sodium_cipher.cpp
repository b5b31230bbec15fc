// Calls the two ciphers of libsodium.
#include "common/host/net/sodium_cipher.h"

#include <sodium.h>

namespace orrery::host {
namespace {

static_assert(crypto_aead_chacha20poly1305_IETF_KEYBYTES == net::kKeyBytes);
static_assert(crypto_aead_chacha20poly1305_IETF_ABYTES == net::kSealBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == net::kKeyBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == std::tuple_size_v<net::TokenNonce>);
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == net::kSealBytes);

using PacketNonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_IETF_NPUBBYTES>;

PacketNonce nonce_of(std::uint64_t sequence) {
  PacketNonce nonce{};
  store_little_endian<8>(nonce.data() + 4, sequence);
  return nonce;
}

}  // namespace

void SodiumCipher::seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
                        std::uint8_t* out) const {
  crypto_aead_chacha20poly1305_ietf_encrypt(out, nullptr, text.data(), text.size(),
                                            associated.data(), associated.size(), nullptr,
                                            nonce_of(sequence).data(), key.data());
}

void SodiumCipher::seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated,
                        Bytes text, std::uint8_t* out) const {
  crypto_aead_xchacha20poly1305_ietf_encrypt(out, nullptr, text.data(), text.size(),
                                             associated.data(), associated.size(), nullptr,
                                             nonce.data(), key.data());
}

bool SodiumCipher::open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
                        std::uint8_t* out) const {
  return crypto_aead_chacha20poly1305_ietf_decrypt(
             out, nullptr, nullptr, sealed.data(), sealed.size(), associated.data(),
             associated.size(), nonce_of(sequence).data(), key.data()) == 0;
}

bool SodiumCipher::open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated,
                        Bytes sealed, std::uint8_t* out) const {
  return crypto_aead_xchacha20poly1305_ietf_decrypt(
             out, nullptr, nullptr, sealed.data(), sealed.size(), associated.data(),
             associated.size(), nonce.data(), key.data()) == 0;
}

}  // namespace orrery::host
