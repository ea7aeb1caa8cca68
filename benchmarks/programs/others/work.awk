# Counts words, splits and replaces, and computes.
{
  lines++
  for (i = 1; i <= NF; ++i) count[$i]++
  if (match($0, /[a-z]+_[a-z]+/)) names[substr($0, RSTART, RLENGTH)] += NR % 17
  n = gsub(/[();,]/, " ")
  changed += n
  length_sum += length($0)
}
END {
  for (word in count) if (count[word] > most) most = count[word]
  for (name in names) { sum += names[name]; different++ }
  for (i = 1; i <= 700000; ++i) x = (x * 1103 + i) % 65536
  printf "%d %d %d %d %d %d %d\n", lines, most, different, sum, changed, length_sum, x
}
