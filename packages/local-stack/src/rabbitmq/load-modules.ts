/** The applications whose modules RabbitMQ looks through while it boots; of those that a release lacks there are none. */
const applications = (
  "kernel stdlib compiler syntax_tools crypto asn1 public_key ssl inets xmerl mnesia sasl os_mon tools runtime_tools " +
  "rabbit rabbit_common rabbitmq_prelaunch ra osiris aten seshat khepri gen_batch_server syslog cuttlefish ranch " +
  "recon sysmon_handler jsx credentials_obfuscation stdout_formatter observer_cli"
).split(" ");

/**
 * Arguments that load these modules at once, and then boot. RabbitMQ asks each module for its attributes, twice, and
 * Erlang loads them for that one after the other; together they take two thirds of the CPU time, on all cores. The
 * script takes its arguments apart at blanks, so there are none in the expression. What cannot be loaded is loaded
 * later, as ever.
 */
export const loadModulesThenBoot = `-eval ${[
  '(catch(code:ensure_modules_loaded([list_to_atom(filename:basename(F,".beam"))',
  "||D<-code:get_path()",
  `lists:member(hd(string:split(filename:basename(filename:dirname(D)),"-")),[${applications
    .map((name) => `"${name}"`)
    .join(",")}])`,
  'F<-filelib:wildcard(D++"/*.beam")])))',
]
  .join(",")
  .replace(",||", "||")}. -s rabbit boot`;
