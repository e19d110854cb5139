import { InputFault } from '@connector/kernel/faults';
import { type EngineChoice, engineChoice, engineChoices } from '@connector/platform/engine/engine';
import { WAKE_KINDS, type WakeConfig } from '@connector/platform/host/config';

export type Arguments =
  { readonly kind: 'run'; readonly engine: EngineChoice | undefined; readonly wake: WakeConfig } | { readonly kind: 'help' };

export const HELP: readonly string[] = [
  'npm start -- [--engine=…] [--wake=…]      everything on this machine; Ctrl-C stops it and loses nothing',
  '',
  `  --engine=${engineChoices.join('|')}     which database; without it the first that is found`,
  '      container   TiDB from its image, pulled once; needs a container engine such as Docker',
  `  --wake=${WAKE_KINDS.join('|')}      how services wake each other; without it local`,
  '      kafka    the brokers of CONNECTOR_KAFKA_BROKERS (beside it CONNECTOR_KAFKA_TLS, CONNECTOR_KAFKA_CA_FILE, CONNECTOR_KAFKA_SASL,',
  '               CONNECTOR_KAFKA_USER, CONNECTOR_KAFKA_PASSWORD_FILE), else Apache Kafka, fetched by Maven and run by the Java of this',
  '               machine, else its image where a container engine answers',
  '      local    through the process that started them, no broker',
  '      silent   not at all: everything is found by polling',
];

/** Throws InputFault `HOUSE:local:Usage` for what nobody knows or what was said twice. */
export function readArguments(args: readonly string[]): Arguments {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  const given = new Map<string, string>();
  for (const arg of args) {
    const [, name, word = ''] = /^--(engine|wake)=(.*)$/.exec(arg) ?? [];
    if (name === undefined || given.has(name)) throw usage(`${arg} is unknown or said twice; npm start -- --help says what there is`);
    given.set(name, word);
  }
  return { kind: 'run', engine: engineOf(given.get('engine')), wake: wakeOf(given.get('wake') ?? 'local') };
}

function engineOf(word: string | undefined): EngineChoice | undefined {
  const choice = word === undefined ? undefined : engineChoice(word);
  if (word !== undefined && choice === undefined) throw usage(`--engine=${word}: known are ${engineChoices.join(', ')}`);
  return choice;
}

function wakeOf(word: string): WakeConfig {
  const kind = WAKE_KINDS.find((each) => each === word);
  if (kind === undefined) throw usage(`--wake=${word}: known are ${WAKE_KINDS.join(', ')}`);
  return kind;
}

const usage = (detail: string): InputFault => new InputFault('HOUSE:local:Usage', detail);
