#pragma once

#include <cstdint>
#include <string_view>

namespace fairlane::engine {

/// What happened to a key, as keyspace notifications name it, and the class of events it belongs to: the letters of
/// notify-keyspace-events (g generic, $ string, l list, s set, h hash, z sorted set, x expired, e evicted, t stream,
/// m key miss, n new key).
struct Event {
  std::string_view name;
  char event_class = 'g';
};

namespace events {

inline constexpr Event kDel{"del", 'g'};
inline constexpr Event kExpire{"expire", 'g'};
inline constexpr Event kPersist{"persist", 'g'};
inline constexpr Event kRenameFrom{"rename_from", 'g'};
inline constexpr Event kRenameTo{"rename_to", 'g'};
inline constexpr Event kMoveFrom{"move_from", 'g'};
inline constexpr Event kMoveTo{"move_to", 'g'};
inline constexpr Event kCopyTo{"copy_to", 'g'};
inline constexpr Event kRestore{"restore", 'g'};
inline constexpr Event kExpired{"expired", 'x'};
inline constexpr Event kEvicted{"evicted", 'e'};
inline constexpr Event kKeyMiss{"keymiss", 'm'};
inline constexpr Event kNew{"new", 'n'};
/// A value gave way to one of another type. Those who wait must know; no notification tells of it.
inline constexpr Event kReplaced{"", ' '};
/// A sketch keeps its count from now on: other bytes for those who watch the key, no other data to notify of.
inline constexpr Event kRecounted{"", ' '};

inline constexpr Event kSet{"set", '$'};
inline constexpr Event kSetRange{"setrange", '$'};
inline constexpr Event kIncrBy{"incrby", '$'};
inline constexpr Event kIncrByFloat{"incrbyfloat", '$'};
inline constexpr Event kAppend{"append", '$'};
inline constexpr Event kSetBit{"setbit", '$'};
inline constexpr Event kPfAdd{"pfadd", '$'};

inline constexpr Event kLPush{"lpush", 'l'};
inline constexpr Event kRPush{"rpush", 'l'};
inline constexpr Event kLPop{"lpop", 'l'};
inline constexpr Event kRPop{"rpop", 'l'};
inline constexpr Event kLInsert{"linsert", 'l'};
inline constexpr Event kLSet{"lset", 'l'};
inline constexpr Event kLRem{"lrem", 'l'};
inline constexpr Event kLTrim{"ltrim", 'l'};
inline constexpr Event kSortStore{"sortstore", 'l'};

inline constexpr Event kHSet{"hset", 'h'};
inline constexpr Event kHIncrBy{"hincrby", 'h'};
inline constexpr Event kHIncrByFloat{"hincrbyfloat", 'h'};
inline constexpr Event kHDel{"hdel", 'h'};
inline constexpr Event kHExpire{"hexpire", 'h'};
inline constexpr Event kHPersist{"hpersist", 'h'};
inline constexpr Event kHExpired{"hexpired", 'h'};

inline constexpr Event kSAdd{"sadd", 's'};
inline constexpr Event kSRem{"srem", 's'};
inline constexpr Event kSPop{"spop", 's'};
inline constexpr Event kSInterStore{"sinterstore", 's'};
inline constexpr Event kSUnionStore{"sunionstore", 's'};
inline constexpr Event kSDiffStore{"sdiffstore", 's'};

inline constexpr Event kZAdd{"zadd", 'z'};
inline constexpr Event kZIncr{"zincr", 'z'};
inline constexpr Event kZRem{"zrem", 'z'};
inline constexpr Event kZPopMin{"zpopmin", 'z'};
inline constexpr Event kZPopMax{"zpopmax", 'z'};
inline constexpr Event kZRemRangeByRank{"zremrangebyrank", 'z'};
inline constexpr Event kZRemRangeByScore{"zremrangebyscore", 'z'};
inline constexpr Event kZRemRangeByLex{"zremrangebylex", 'z'};
inline constexpr Event kZRangeStore{"zrangestore", 'z'};
inline constexpr Event kZUnionStore{"zunionstore", 'z'};
inline constexpr Event kZInterStore{"zinterstore", 'z'};
inline constexpr Event kZDiffStore{"zdiffstore", 'z'};
inline constexpr Event kGeoSearchStore{"geosearchstore", 'z'};
inline constexpr Event kGeoRadiusStore{"georadiusstore", 'z'};

inline constexpr Event kXAdd{"xadd", 't'};
inline constexpr Event kXDel{"xdel", 't'};
inline constexpr Event kXTrim{"xtrim", 't'};
inline constexpr Event kXSetId{"xsetid", 't'};
inline constexpr Event kXGroupCreate{"xgroup-create", 't'};
inline constexpr Event kXGroupSetId{"xgroup-setid", 't'};
inline constexpr Event kXGroupDestroy{"xgroup-destroy", 't'};
inline constexpr Event kXGroupCreateConsumer{"xgroup-createconsumer", 't'};
inline constexpr Event kXGroupDelConsumer{"xgroup-delconsumer", 't'};

}  // namespace events
}  // namespace fairlane::engine
