import { Option, type Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { serviceOf } from '../installation';
import { textOf } from '../members';
import { failureOf } from '../problem';
import { deliver, findChannel, type Delivered } from '../send/deliver';
import { planFault } from '../send/faults';
import { readFixture } from '../send/fixture';

const FAULTS = ['slow', '500-before', '500-after', 'reset-mid-body', 'other-id', '422', '429'];
const COUNT_MAX = 1_000;
const HELP = `
The fixture is signed as the provider of the channel signs and goes through the real ingress. Names that make an event the same
event again get a suffix, so that sending twice is two changes; --same sends the very fixture again.

Examples
  connector send larkspur-crm three-contacts
  connector send larkspur-crm one-contact --fault 500-after      the provider does it and answers 500: outcome unknown
  connector send larkspur-crm one-contact --fault 429            not processed, as its profile says: it waits and is done once
  connector send larkspur-crm one-contact --count 20`;

export function addSend(program: Command, context: Context): void {
  const command = withCommon(program.command('send <pack> <fixture>').description('send a fixture through the real ingress'))
    .addOption(new Option('--fault <name>', 'what the provider does wrong at the next calls').choices(FAULTS))
    .option('--count <n>', 'so many deliveries', '1')
    .option('--same', 'the fixture byte for byte: its events may be known already');
  command.addHelpText('after', HELP).action(async (pack: string, fixture: string) => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    const count = countOf(textOf(given['count']));
    const loaded = await readFixture(context.io.root, pack, fixture);
    const installation = await context.installation();
    const channel = await findChannel(await context.api(), loaded.route);
    if (typeof given['fault'] === 'string') {
      await planFault(context.io.root, installation, given['fault'], count);
    }
    const ingress = serviceOf(installation, 'ingress').url;
    const sent: Delivered[] = [];
    for (let at = 0; at < count; at += 1)
      sent.push(await deliver(context.io, installation, ingress, channel, loaded, given['same'] === true));
    const refused = sent.find(({ status }) => status >= 300);
    if (refused !== undefined) throw failureOf(refused.status, refused.body);
    context.print(commonOf(command, context.io), { account: channel.account, deliveries: sent }, () => sent.flatMap(sentLines));
  });
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new CliFailure(EXIT.usage, [`--count is 1 to ${COUNT_MAX}, found ${JSON.stringify(text)}.`]);
}

function sentLines({ status, body }: { readonly status: number; readonly body: Readonly<Record<string, unknown>> }): readonly string[] {
  const id = textOf(body['receipt_id']);
  const again = status === 200 ? 'accepted before as' : 'accepted as';
  return [`${status} ${again} ${id}`, `  Next     connector lineage ${id}`];
}
