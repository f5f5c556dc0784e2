-- A job is done: its row, its lease and what hangs off it go, its place in the lane is free.
-- KEYS: row, active, ring, paused, glimit, gactive, wake, metrics:completed
-- ARGV: id, token, key prefix of the queue
-- Answers 1, or 0 when the row is gone.
local id = ARGV[1]
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local row = redis.call('HMGET', KEYS[1], 'attempts', 'group')
if row[1] ~= ARGV[2] then return redis.error_reply('EMQSTALE the token is not that of the last claim') end
if redis.call('ZREM', KEYS[2], id) == 0 then return redis.error_reply('EMQSTATE the job is not leased') end
redis.call('HINCRBY', KEYS[8], 'count', 1)
redis.call('DEL', KEYS[1], KEYS[1] .. ':logs', KEYS[1] .. ':lock')
local lane = row[2]
if not lane then return 1 end
local held = redis.call('HINCRBY', KEYS[6], lane, -1)
if held <= 0 then redis.call('HDEL', KEYS[6], lane) end

-- The lane joins the ring when it can be served and is not there.
if redis.call('EXISTS', ARGV[3] .. 'g:' .. lane .. ':pending') == 0 then return 1 end
if redis.call('LPOS', KEYS[3], lane) then return 1 end
if redis.call('SISMEMBER', KEYS[4], lane) == 1 then return 1 end
local limit = tonumber(redis.call('HGET', KEYS[5], lane) or 0)
if limit > 0 and held >= limit then return 1 end
redis.call('RPUSH', KEYS[3], lane)
if redis.call('LLEN', KEYS[7]) < 64 then redis.call('LPUSH', KEYS[7], '1') end
return 1
