/** The applications whose modules RabbitMQ looks through while it boots; of those that a release lacks there are none. */
const ofErlang =
  "kernel stdlib compiler syntax_tools crypto asn1 public_key ssl inets xmerl mnesia sasl os_mon tools runtime_tools";
const ofRabbitmq =
  "rabbit rabbit_common rabbitmq_prelaunch ra osiris aten seshat khepri gen_batch_server syslog cuttlefish ranch " +
  "recon sysmon_handler jsx credentials_obfuscation stdout_formatter observer_cli";

/** Names the file that is written when half of the modules are loaded: what comes next leaves a processor idle. */
export const loadedVariable = "HOLDFAST_LOADED";

/**
 * Arguments that load these modules at once, and then boot. RabbitMQ asks each module for its attributes, twice, and
 * Erlang loads them for that one after the other; together they take two thirds of the CPU time, on all cores. The
 * script takes its arguments apart at blanks, so there are none in the expression. What cannot be loaded is loaded
 * later, as ever.
 */
export const loadModulesThenBoot = `-eval ${[
  load(ofErlang),
  `(catch(file:write_file(os:getenv("${loadedVariable}"),"")))`,
  load(ofRabbitmq),
].join(",")}. -s rabbit boot`;

function load(applications: string): string {
  const names = applications.split(" ").map((name) => `"${name}"`);
  const modules = [
    'list_to_atom(filename:basename(F,".beam"))||D<-code:get_path()',
    `lists:member(hd(string:split(filename:basename(filename:dirname(D)),"-")),[${names.join(",")}])`,
    'F<-filelib:wildcard(D++"/*.beam")',
  ];
  return `(catch(code:ensure_modules_loaded([${modules.join(",")}])))`;
}
