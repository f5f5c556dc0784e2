-- One weighted turn of the rota: as many first jobs of one lane as its weight, its backlog and its limit allow.
-- KEYS: ring, active, paused, glimit, gactive, meta, gweight    ARGV: key prefix of the queue, lease in milliseconds
-- Answers an array of {id, payload, attempts, lane}.
local ring, active, in_flight = KEYS[1], KEYS[2], KEYS[5]
local prefix = ARGV[1]
local jobs = {}
local gate = redis.call('HMGET', KEYS[6], 'paused', 'concurrency')
if gate[1] then return jobs end
local room = math.huge
local ceiling = tonumber(gate[2] or 0)
if ceiling > 0 then room = ceiling - redis.call('ZCARD', active) end
if room <= 0 then return jobs end
local time = redis.call('TIME')
local deadline = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]

while #jobs == 0 do
  local lane = redis.call('LMOVE', ring, ring, 'LEFT', 'RIGHT')
  if not lane then return jobs end
  local backlog = prefix .. 'g:' .. lane .. ':pending'
  local weight = math.max(tonumber(redis.call('HGET', KEYS[7], lane) or 1), 1)
  local limit = tonumber(redis.call('HGET', KEYS[4], lane) or 0)
  local free = math.huge
  if limit > 0 then free = limit - tonumber(redis.call('HGET', in_flight, lane) or 0) end
  if redis.call('SISMEMBER', KEYS[3], lane) == 1 then free = 0 end
  local most = math.min(weight, free, room)
  while #jobs < most do
    local id = redis.call('ZPOPMIN', backlog)[1]
    if not id then break end
    local row = prefix .. 'job:' .. id
    if redis.call('EXISTS', row) == 1 then
      local attempts = redis.call('HINCRBY', row, 'attempts', 1)
      redis.call('HSET', row, 'state', 'active')
      redis.call('ZADD', active, deadline, id)
      jobs[#jobs + 1] = {id, redis.call('HGET', row, 'payload'), attempts, lane}
    end
  end
  if #jobs > 0 then redis.call('HINCRBY', in_flight, lane, #jobs) end
  -- It has just become the last of the ring: the search from the tail finds it at once.
  if #jobs >= free or redis.call('EXISTS', backlog) == 0 then redis.call('LREM', ring, -1, lane) end
end
return jobs
