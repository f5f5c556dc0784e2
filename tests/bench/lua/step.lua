-- A job's whole way through a small queue, in twelve calls; nothing of it stays but two counts.
-- KEYS: waiting, active, the job's row, the queue's counts, deadlines. ARGV: job, payload, deadline.
local waiting, active, row, counts, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
redis.call('HSET', row, 'state', 'waiting', 'payload', ARGV[2])
redis.call('LPUSH', waiting, ARGV[1])
redis.call('HINCRBY', counts, 'added', 1)
local job = redis.call('RPOPLPUSH', waiting, active)
redis.call('ZADD', deadlines, ARGV[3], job)
local state = redis.call('HMGET', row, 'state', 'payload')
redis.call('HSET', row, 'state', 'active')
redis.call('HINCRBY', row, 'attempts', 1)
redis.call('LREM', active, 1, job)
redis.call('ZREM', deadlines, job)
redis.call('DEL', row)
redis.call('HINCRBY', counts, 'completed', 1)
return {job, state[2]}
