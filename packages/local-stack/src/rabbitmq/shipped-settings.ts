/**
 * What `infra/rabbitmq/rabbitmq.conf` says, except where definitions come from: they are imported
 * here. It is repeated because that file is in no package; a test compares them.
 */
export const shippedSettings: readonly string[] = ["max_message_size = 2097152"];
