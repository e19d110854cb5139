import type { RequestKey } from '@connector/catalog/model/request';
import { readLastAttempt } from '@connector/catalog/reads/installation';
import { readFrozen, readOpenPublication } from '@connector/catalog/reads/publication';
import { OwnerSilentFault } from '../owner-silent';
import { continuePublication } from './continue-publication';
import type { PreparationParts } from './gather';
import { type Installed, prepareInstallation } from './install';
import { continueRemoval, passGates, type Removed, removeInstallation } from './remove';
import { askedIn, lookAgain, type SeenInstallation } from './standing';

export type Resumed = Installed | Removed;

/**
 * Goes on with what the journal says (cat:INST-14): an open attempt from its next step, a removal from its gates, a FAILED installation by a new
 * attempt of what the last one was for, with a new command (cat:A-31). All of it is judged again by the doors, and the same request again is
 * answered as the first time.
 */
export async function resumeInstallation(parts: PreparationParts, seen: SeenInstallation, request: RequestKey): Promise<Resumed> {
  const { organization, installation } = seen;
  const open = await readOpenPublication(parts.db, organization);
  if (open?.installation === installation) {
    const attempt = { organization, ...open };
    const kind = (await readFrozen(parts.db, attempt))?.kind;
    const end = kind === 'removal' ? await continueRemoval(parts, attempt) : await continuePublication(parts, attempt);
    // What failed has left nothing in Runtime now, and may begin anew.
    const here = { kind: 'opened', ...open, end } as const;
    if (seen.expectedState !== 'FAILED' || end.kind !== 'abandoned') return here;
    return anew(parts, seen, request).catch((thrown: unknown) => {
      // Its end is written: an owner that is silent now is no reason to say that nothing was.
      if (thrown instanceof OwnerSilentFault) return here;
      throw thrown;
    });
  }
  if (seen.expectedState === 'FAILED') return anew(parts, seen, request);
  const found = await lookAgain(parts.db, seen);
  if (found.kind !== 'as-seen') return found;
  if (seen.expectedState !== 'REMOVING') return { kind: 'transition-not-allowed', state: seen.expectedState };
  const end = await passGates(parts, { organization, installation });
  return { kind: 'opened', installation, attempt: found.attempt, end };
}

/** Whether it is FAILED still the door says, which first looks for what it answered this request before (decisions 12.7). */
async function anew(parts: PreparationParts, seen: SeenInstallation, request: RequestKey): Promise<Resumed> {
  const { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch } = seen;
  const last = await readLastAttempt(parts.db, organization, installation);
  if (last === undefined) return { kind: 'no-installation' };
  if (last.kind === 'removal') return removeInstallation(parts, seen, request);
  const existing = { installation, state, activationEpoch, kind: last.kind };
  return prepareInstallation(parts, { organization, existing, asked: askedIn(last.candidate) }, request);
}
