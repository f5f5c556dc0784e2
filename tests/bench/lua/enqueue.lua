-- A new job at the end of its lane.
-- KEYS: row, lane, ring, paused, glimit, gactive, wake    ARGV: id, payload, lane name
-- Answers the id, or null when that id already has a row.
local id, payload, lane = ARGV[1], ARGV[2], ARGV[3]
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', payload, 'group', lane)
redis.call('ZADD', KEYS[2], 0, id)

-- The lane joins the ring when it can be served and is not there.
if redis.call('LPOS', KEYS[3], lane) then return id end
if redis.call('SISMEMBER', KEYS[4], lane) == 1 then return id end
local limit = tonumber(redis.call('HGET', KEYS[5], lane) or 0)
if limit > 0 and tonumber(redis.call('HGET', KEYS[6], lane) or 0) >= limit then return id end
redis.call('RPUSH', KEYS[3], lane)
if redis.call('LLEN', KEYS[7]) < 64 then redis.call('LPUSH', KEYS[7], '1') end
return id
