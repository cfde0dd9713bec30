// Results are written whole or not at all.

#include "harness/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/error.hpp"

namespace bb {
namespace {

namespace fs = std::filesystem;

class output : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "bb_output_XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }
  static std::string content(const fs::path& p) {
    std::ostringstream text;
    text << std::ifstream(p).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
  }
  fs::path folder;
};

TEST_F(output, replaces_a_file_whole_and_leaves_no_temporary) {
  const output_file f((folder / "a.json").string());
  EXPECT_TRUE(f.rewritable());
  f.write(std::string(100'000, 'x'));
  f.write("short");
  EXPECT_EQ(content(folder / "a.json"), "short");
  EXPECT_EQ(files(), 1u);
}

TEST_F(output, a_new_file_obeys_the_umask) {
  const mode_t old = umask(027);
  output_file((folder / "a.json").string()).write("x");
  umask(old);
  struct stat s {};
  stat((folder / "a.json").c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
}

TEST_F(output, a_missing_folder_is_refused_before_the_run) {
  try {
    output_file f((folder / "no" / "a.json").string());
    FAIL();
  } catch (const output_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("folder"));
    EXPECT_EQ(e.exit_code(), 6);
  }
}

TEST_F(output, a_folder_is_refused) { EXPECT_THROW(output_file(folder.string()), output_error); }

TEST_F(output, a_device_is_written_directly) {
  const output_file f("/dev/null");
  EXPECT_FALSE(f.rewritable());
  f.write("gone");
  struct stat s {};
  stat("/dev/null", &s);
  EXPECT_TRUE(S_ISCHR(s.st_mode));
}

TEST_F(output, a_full_device_is_an_error) {
  EXPECT_THROW(output_file("/dev/full").write("x"), output_error);
  struct stat s {};
  stat("/dev/full", &s);
  EXPECT_TRUE(S_ISCHR(s.st_mode));
}

TEST_F(output, a_dangling_link_makes_its_target) {
  fs::create_symlink(folder / "target.json", folder / "link.json");
  output_file((folder / "link.json").string()).write("x");
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_EQ(content(folder / "target.json"), "x");
}

}  // namespace
}  // namespace bb
