// Answers the ray casts that clients ask for.
#include "server/senders/ray_answers.h"

#include "common/codec/event_codec.h"

namespace orrery::server {

RayAnswers::RayAnswers(Clients& clients, Executor& executor)
    : clients_(clients), executor_(executor), queries_(clients.world) {}

void RayAnswers::answer(ClientId client, Bytes query, net::Nanoseconds now) {
  const World& world = clients_.world;
  const std::optional<codec::message::Query> asked = codec::decode_query(query);
  if (!asked) {
    clients_.endpoint.drop(net::Drop::malformed);
    return;
  }
  if (tick_ != world.tick()) {
    queries_.update(world, executor_);
    tick_ = world.tick();
  }
  queries_.cast_ray(world, asked->origin, asked->along, {}, 1, hits_);
  codec::message::Answer answer{asked->id, world.tick(), !hits_.empty(), {}, 0, 0, {}};
  if (!hits_.empty()) {
    answer.body = hits_[0].body;
    answer.part = hits_[0].part;
    answer.fraction = hits_[0].fraction;
    answer.normal = hits_[0].normal;
  }
  message_.clear();
  codec::encode(answer, message_);
  clients_.endpoint.send(client, net::MessageType::answer, message_, now);
}

}  // namespace orrery::server
