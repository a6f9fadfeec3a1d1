/**
 * The applications whose modules RabbitMQ looks through while it boots, and uses for the most part;
 * of those that a release lacks there are none.
 */
const ofErlang = "kernel stdlib compiler syntax_tools crypto mnesia sasl os_mon";
const ofRabbitmq =
  "rabbit rabbit_common rabbitmq_prelaunch ra osiris aten seshat khepri gen_batch_server syslog cuttlefish ranch " +
  "recon sysmon_handler jsx credentials_obfuscation stdout_formatter observer_cli";
/** It uses few modules of these. Erlang loads those when they are called. */
const seldomUsed = "asn1 public_key ssl inets xmerl tools runtime_tools";

/**
 * Names the file that is written when half of the modules are loaded: what comes next leaves a
 * processor idle.
 */
export const loadedVariable = "HOLDFAST_LOADED";

/**
 * Arguments that make the most of the processors, and then boot. RabbitMQ asks each module for its
 * attributes, twice, and Erlang loads them for that one after the other; here they are loaded at
 * once, on all cores. Of applications that it seldom uses it gets an empty list of modules. Where
 * the node is alone, its quorum queues have no other member to wait for: each would wait for 0.1 to
 * 0.6 s before it elects itself.
 *
 * The script takes its arguments apart at blanks, so there are none in the expression. What goes
 * wrong in it changes nothing: the node boots as ever.
 */
export const quickBoot = ({ isAlone }: { readonly isAlone: boolean }): string =>
  `-eval ${[
    loadWithoutModules(seldomUsed),
    load(ofErlang),
    quietly(`file:write_file(os:getenv("${loadedVariable}"),"")`),
    load(ofRabbitmq),
    ...(isAlone ? [elect] : []),
  ].join(",")}. -s rabbit boot`;

const quietly = (expression: string): string => `(catch(${expression}))`;

/**
 * Loads the descriptions of the applications before RabbitMQ does, each with an empty list of
 * modules.
 */
const loadWithoutModules = (applications: string): string =>
  quietly(
    `[application:load({application,A,lists:keystore(modules,1,P,{modules,[]})})||${[
      `F<-[${namesOf(applications)}]`,
      '{ok,[{application,A,P}]}<-[file:consult(code:where_is_file(F++".app"))]',
    ].join(",")}]`,
  );

function load(applications: string): string {
  const names = [
    'list_to_atom(filename:basename(F,".beam"))||D<-code:get_path()',
    `lists:member(hd(string:split(filename:basename(filename:dirname(D)),"-")),[${namesOf(applications)}])`,
    'F<-filelib:wildcard(D++"/*.beam")',
  ];
  return quietly(`code:ensure_modules_loaded([${names.join(",")}])`);
}

const namesOf = (applications: string): string =>
  applications
    .split(" ")
    .map((name) => `"${name}"`)
    .join(",");

/**
 * Triggers elections beside the boot, which recovers the queues, until it has ended: for a minute
 * at most.
 */
const elect = `spawn(fun()->lists:any(fun(_)->${[
  "timer:sleep(20)",
  // A row has a third element since Ra 2.7.
  quietly(
    "[ra:trigger_election({element(1,R),node()})||R<-ets:tab2list(ra_state),follower=:=element(2,R)]",
  ),
  `true=:=${quietly("rabbit:is_running()")}`,
].join(",")}end,lists:seq(1,3000))end)`;
