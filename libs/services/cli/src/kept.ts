import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bindingView, type ViewBinding } from '@connector/catalog/model/documents';
import type { Digest } from '@connector/kernel/digest';
import { generationsOf, keepMembership, keepPack, keptDigests, keptFolder } from '@connector/services/kept/src/kept-folder';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { Context } from './context';
import { CliFailure, EXIT } from './exit';
import { homeOf } from './installation';
import { type Members, textOf } from './members';
import { checkLocalPack, readLocalPack } from './packs/local-pack';
import { packsDir } from './send/fixture';

/** Whether the next beginning on this machine finds what was just written; where it does not, why. */
export type Keeping = { readonly kept: true } | { readonly kept: false; readonly why: string };

/** The source of a generation that was just registered. */
export async function keepPublished(context: Context, organization: string, digest: Digest, source: Buffer): Promise<Keeping> {
  return keeping(async () => {
    const { beginsWith } = await context.installation();
    if (organization !== beginsWith.organization) return `npm start begins with ${beginsWith.organization || 'another organization'} alone`;
    await keepPack(keptFolder(homeOf(context.io)), digest, source);
    return undefined;
  });
}

export interface SetPlace {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
}
/** What `membership show` shows now: a try that is sent again under its key may answer for a membership that others replaced since. */
export async function keepSet(context: Context, { organization, installation, workload }: SetPlace): Promise<Keeping> {
  return keeping(async () => {
    const { beginsWith } = await context.installation();
    const begins = `npm start begins with ${beginsWith.workload || 'another workload'}`;
    if (organization !== beginsWith.organization) return `${begins} of ${beginsWith.organization || 'another organization'} alone`;
    if (workload !== beginsWith.workload) return `${begins} alone`;
    const api = await context.api();
    const [org, inst, work] = [organization, installation, workload].map(encodeURIComponent);
    const { app_id: app } = await api.get(`/v1/installs/${org}/${inst}`);
    if (app !== beginsWith.app) return `${begins} in an installation of ${beginsWith.app} alone`;
    const bindings = bindingsIn(await api.get(`/v1/membership/${org}/${inst}/${work}`));
    const dir = keptFolder(homeOf(context.io));
    const missing = await withoutSource(context, dir, bindings);
    if (missing.length > 0)
      return `the source of ${missing.join(', ')} is not here: connector packs publish it on this machine, then set this again`;
    await keepMembership(dir, { organization, workload, bindings });
    return undefined;
  });
}

/** Those of a view that is what its digest says. */
function bindingsIn(shown: Members): readonly ViewBinding[] {
  const { value, digest } = bindingView.parse(jcs(shown['view'] as Json));
  if (digest !== shown['view_digest']) throw new CliFailure(EXIT.failed, [`the view that is shown has the digest ${digest}`]);
  return value.bindings;
}

/** Generations whose source stands nowhere on this machine. That of a pack that ships is kept too: the one that ships may change meanwhile. */
async function withoutSource({ io }: Context, dir: string, bindings: readonly ViewBinding[]): Promise<readonly Digest[]> {
  const held = new Set(await keptDigests(dir));
  const missing = new Set(generationsOf(bindings).flatMap(({ pack_payload_digest: digest }) => (held.has(digest) ? [] : [digest])));
  const shipped = missing.size === 0 ? [] : await readdir(packsDir(io.root), { withFileTypes: true });
  for (const { name } of shipped.filter((one) => one.isDirectory())) {
    const local = await readLocalPack(join(packsDir(io.root), name));
    const check = await checkLocalPack(local);
    if (check.kind === 'valid' && missing.delete(check.pack.manifest.digest)) await keepPack(dir, check.pack.manifest.digest, local.bytes);
  }
  return [...missing];
}

/** What was written stands, whatever becomes of keeping it: a failure here is told beside the answer. */
async function keeping(keep: () => Promise<string | undefined>): Promise<Keeping> {
  try {
    const why = await keep();
    return why === undefined ? { kept: true } : { kept: false, why };
  } catch (thrown) {
    return { kept: false, why: thrown instanceof Error ? thrown.message : textOf(thrown) };
  }
}

/** A line of what a reset does with it. */
export function keepingLine(keeping: Keeping, kept: string): string {
  return keeping.kept ? `  Kept     ${kept}` : `  Not kept ${keeping.why}; what was kept before stays, and a reset wipes this`;
}
