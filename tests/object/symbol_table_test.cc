#include "seam/symbol_table.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

// Symbols with all kinds of properties. Their names are those in `names`.
std::vector<Symbol> SymbolsNamed(const std::vector<std::string>& names) {
  std::vector<Symbol> symbols(names.size());
  for (uint32_t i = 0; i < symbols.size(); ++i) {
    Symbol& symbol = symbols[i];
    symbol.name = names[i];
    symbol.kind = static_cast<SymbolKind>(i % 4);
    symbol.is_definition = (i & 1) != 0;
    symbol.is_local = (i & 2) != 0;
    symbol.is_weak = (i & 4) != 0;
    symbol.is_common = (i & 8) != 0;
    symbol.is_thread_local = (i & 16) != 0;
    symbol.is_hidden = (i & 32) != 0;
    symbol.has_aliases = (i & 64) != 0;
    symbol.has_prefix = (i & 128) != 0;
    symbol.is_computed = (i & 256) != 0;
    symbol.base = SymbolOrdinal{i / 2};
    symbol.offset = i % 3 == 0 ? -int64_t{i} : int64_t{i} << 40;
    symbol.size = uint64_t{i} << 33;
  }
  return symbols;
}

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(absl::StrCat("symbol", i * i));
  return names;
}

SymbolList ListOf(const std::vector<Symbol>& symbols) {
  SymbolList list;
  for (const Symbol& symbol : symbols) list.Add(symbol);
  return list;
}

void ExpectEqual(const Symbol& a, const Symbol& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.is_definition, b.is_definition);
  EXPECT_EQ(a.is_local, b.is_local);
  EXPECT_EQ(a.is_weak, b.is_weak);
  EXPECT_EQ(a.is_common, b.is_common);
  EXPECT_EQ(a.is_thread_local, b.is_thread_local);
  EXPECT_EQ(a.is_hidden, b.is_hidden);
  EXPECT_EQ(a.has_aliases, b.has_aliases);
  EXPECT_EQ(a.has_prefix, b.has_prefix);
  EXPECT_EQ(a.is_computed, b.is_computed);
  EXPECT_EQ(a.base, b.base);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.size, b.size);
}

TEST(SymbolTableTest, HasAndFindsItsSymbols) {
  for (int count : {0, 1, 2, 3, 64, 1000}) {
    const std::vector<std::string> names = Names(count);
    const std::vector<Symbol> symbols = SymbolsNamed(names);
    const SymbolTable made = SymbolTable::Of(ListOf(symbols));
    ASSERT_OK_AND_ASSIGN(const SymbolTable read,
                         SymbolTable::Decode(absl::StrCat("before", made.bytes()), 6));
    for (const SymbolTable* table : {&made, &read}) {
      ASSERT_EQ(table->size(), names.size());
      for (uint32_t i = 0; i < names.size(); ++i) {
        ExpectEqual(table->at(SymbolOrdinal{i}), symbols[i]);
        EXPECT_EQ(table->Find(names[i]), SymbolOrdinal{i});
      }
      EXPECT_EQ(table->Find("nothing"), std::nullopt);
      EXPECT_EQ(table->Find(""), std::nullopt);
    }
  }
}

TEST(SymbolListTest, SymbolsMayChange) {
  const std::vector<std::string> names = Names(4);
  std::vector<Symbol> symbols = SymbolsNamed(names);
  SymbolList list = ListOf(symbols);
  for (uint32_t i : {2, 0, 3, 1}) {
    for (uint64_t size : {uint64_t{0}, uint64_t{7}, uint64_t{8}}) {
      symbols[i].base = SymbolOrdinal{i};
      symbols[i].offset = 0;
      symbols[i].size = size;
      symbols[i].is_hidden = size == 8;
      list.Set(SymbolOrdinal{i}, symbols[i]);
      for (uint32_t j = 0; j < 4; ++j) ExpectEqual(list.at(SymbolOrdinal{j}), symbols[j]);
    }
  }
}

TEST(SymbolTableTest, FindsNothingInNone) {
  const SymbolTable none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.Find("main"), std::nullopt);
}

// Under a sanitizer this finds reads outside of the bytes.
TEST(SymbolTableTest, DamageIsNoticedOrHarmless) {
  const std::vector<std::string> names = Names(20);
  const std::string sound(SymbolTable::Of(ListOf(SymbolsNamed(names))).bytes());
  const auto use = [&](const std::string& bytes) {
    absl::StatusOr<SymbolTable> table = SymbolTable::Decode(bytes, 0);
    if (!table.ok()) return;
    size_t total = 0;
    for (uint32_t i = 0; i < table->size(); ++i) {
      const Symbol symbol = table->at(SymbolOrdinal{i});
      EXPECT_LT(symbol.base.value, table->size());
      for (char c : symbol.name) total += static_cast<unsigned char>(c);
    }
    for (const std::string& name : names) total += table->Find(name).has_value();
    EXPECT_LT(total, size_t{1} << 40);
  };
  for (size_t i = 0; i < sound.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = sound;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      use(damaged);
    }
    use(sound.substr(0, i));
  }
  EXPECT_THAT(SymbolTable::Decode(sound.substr(0, 7), 0),
              StatusIs(absl::StatusCode::kDataLoss, "symbol table"));
  EXPECT_THAT(SymbolTable::Decode("short", 6),
              StatusIs(absl::StatusCode::kDataLoss, "symbol table"));
}

}  // namespace
}  // namespace firstcall
