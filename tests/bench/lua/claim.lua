-- One step of the rota, one job.
-- KEYS: ring, active, paused, glimit, gactive, meta    ARGV: key prefix of the queue, lease in milliseconds
-- Answers {id, payload, attempts, lane}, or null.
local ring, active, in_flight = KEYS[1], KEYS[2], KEYS[5]
local prefix = ARGV[1]
local gate = redis.call('HMGET', KEYS[6], 'paused', 'concurrency')
if gate[1] then return false end
local ceiling = tonumber(gate[2] or 0)
if ceiling > 0 and redis.call('ZCARD', active) >= ceiling then return false end
local time = redis.call('TIME')
local deadline = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]

while true do
  local lane = redis.call('LMOVE', ring, ring, 'LEFT', 'RIGHT')
  if not lane then return false end
  local backlog = prefix .. 'g:' .. lane .. ':pending'
  local limit = tonumber(redis.call('HGET', KEYS[4], lane) or 0)
  local held = limit > 0 and tonumber(redis.call('HGET', in_flight, lane) or 0) or 0
  local open = redis.call('SISMEMBER', KEYS[3], lane) == 0 and (limit == 0 or held < limit)
  local job
  while open and not job do
    local id = redis.call('ZPOPMIN', backlog)[1]
    if not id then break end
    local row = prefix .. 'job:' .. id
    if redis.call('EXISTS', row) == 1 then
      local attempts = redis.call('HINCRBY', row, 'attempts', 1)
      redis.call('HSET', row, 'state', 'active')
      redis.call('ZADD', active, deadline, id)
      redis.call('HINCRBY', in_flight, lane, 1)
      job = {id, redis.call('HGET', row, 'payload'), attempts, lane}
      held = held + 1
    end
  end
  -- It has just become the last of the ring: the search from the tail finds it at once.
  if not open or (limit > 0 and held >= limit) or redis.call('EXISTS', backlog) == 0 then
    redis.call('LREM', ring, -1, lane)
  end
  if job then return job end
end
