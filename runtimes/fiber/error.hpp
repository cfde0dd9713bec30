#pragma once
// error: what this library throws when it cannot do what was asked: one sentence with the likely cause and the
// remedy. Only set-up and creation throw; operations return results.
#include <stdexcept>
#include <string>

namespace fiber {

class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "EAGAIN (Resource temporarily unavailable)"; takes the number with either sign.
std::string errno_name(int number);

}  // namespace fiber
