-- Calls, tables, closures, strings and floating point for a few seconds: `lua work.lua [SCALE]`.
local scale = tonumber(arg and arg[1]) or 65

local function fibonacci(n)
  if n < 2 then return n end
  return fibonacci(n - 1) + fibonacci(n - 2)
end

local function primes(limit)
  local is_composite, count = {}, 0
  for i = 2, limit do
    if not is_composite[i] then
      count = count + 1
      for j = i * i, limit, i do is_composite[j] = true end
    end
  end
  return count
end

local function words(count)
  local seen, parts = {}, {}
  for i = 1, count do
    local word = ("%x"):format(i * 2654435761 % 65536)
    seen[word] = (seen[word] or 0) + 1
    parts[#parts + 1] = word:upper():reverse() .. "-" .. #word
  end
  local text = table.concat(parts, " ")
  local digits = 0
  for run in text:gmatch("%d+") do digits = digits + #run end
  table.sort(parts)
  return digits + #text:gsub("A+", "") + #parts[1]
end

local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({ x = x, y = y }, Point) end
function Point:turned(c, s) return Point.new(self.x * c - self.y * s, self.x * s + self.y * c) end

local function turns(count)
  local point, c, s = Point.new(1, 0), 0.8, 0.6
  for _ = 1, count do point = point:turned(c, s) end
  return math.floor(point.x * point.x + point.y * point.y + 0.5)
end

local sum = 0
for _ = 1, scale do
  sum = sum + fibonacci(24) + primes(100000) + words(20000) + turns(200000)
end
print(sum)
