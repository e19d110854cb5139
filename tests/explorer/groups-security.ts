import type { AccountName } from '@connector/kernel/brand';
import { advanceAppGrants, type AdvanceAppGrants } from '@connector/security/transitions/advance-app-grants.tx';
import { setOtherInputs, type SetOtherInputs } from '@connector/security/transitions/set-other-inputs.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { advanceOf, grantsOf, legible, otherInputsOf } from '@connector/testing/fixtures/security';
import type { Group, Site, World } from './group';

const advance = (command: AdvanceAppGrants): Part => ({
  name: 'advance',
  open: async (db) => legible(await advanceAppGrants(db, command)),
});
const set = (input: SetOtherInputs): Part => ({ name: 'set-other-inputs', open: async (db) => legible(await setOtherInputs(db, input)) });

const grants = (organization: string, installation: string, prior: bigint): AdvanceAppGrants =>
  advanceOf(organization, grantsOf(organization, { [installation]: [] }), prior);
/** No account is touched; one has to be named to be looked at. */
const world = (organizations: readonly string[], ...parts: readonly Part[]): World => ({
  parts,
  watch: { accounts: [`${organizations[0] ?? ''}/none` as AccountName], organizations },
});

/** With a character that no minted id has: its name is taken out of what is compared. */
const named = (site: Site): string => `${site.word()}/org`;

/** An organization that stands at epoch 1. */
async function begun(site: Site): Promise<string> {
  const organization = named(site);
  await advanceAppGrants(site.schema.db, grants(organization, 'inst-0', 0n));
  return organization;
}

const HEAD = 'sec_head';

export const SECURITY: readonly Group[] = [
  {
    name: 'advance | advance',
    meets: HEAD,
    arrange: async (site) => {
      const organization = await begun(site);
      return world([organization], advance(grants(organization, 'inst-1', 1n)), advance(grants(organization, 'inst-2', 1n)));
    },
  },
  {
    name: 'advance | advance, the first of an organization',
    meets: HEAD,
    arrange: (site) => {
      const organization = named(site);
      return Promise.resolve(
        world([organization], advance(grants(organization, 'inst-1', 0n)), advance(grants(organization, 'inst-2', 0n))),
      );
    },
  },
  {
    name: 'advance | advance, one command',
    meets: HEAD,
    arrange: async (site) => {
      const organization = await begun(site);
      const command = grants(organization, 'inst-1', 1n);
      return world([organization], advance(command), advance(command));
    },
  },
  {
    name: 'advance | advance, one id in two organizations',
    meets: 'sec_command',
    arrange: async (site) => {
      const [one, two] = [await begun(site), await begun(site)];
      const command = grants(one, 'inst-1', 1n);
      return world([one, two], advance(command), advance({ ...grants(two, 'inst-1', 1n), commandId: command.commandId }));
    },
  },
  {
    name: 'advance | set other inputs',
    meets: HEAD,
    arrange: async (site) => {
      const organization = await begun(site);
      return world([organization], advance(grants(organization, 'inst-1', 1n)), set(otherInputsOf(organization)));
    },
  },
  {
    name: 'set other inputs | set other inputs',
    meets: HEAD,
    arrange: async (site) => {
      const organization = await begun(site);
      return world([organization], set(otherInputsOf(organization)), set(otherInputsOf(organization, [])));
    },
  },
];
