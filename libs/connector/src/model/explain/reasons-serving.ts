import type { Reason } from './reason';

/** Whether the account, its epoch and its credential let anything begin. */
export const SERVING_REASONS = {
  GATE_HALTING: {
    headline: '{account} is halting since {since} by {by}: {reason}; open permits: {open}.',
    tier: 0,
    class: 'safety',
    verdict: 'needs_person',
    owner: 'account-operators',
    alert: 'gate_halting',
    evidence: 'gate.open_permits',
    may: [
      { kind: 'wait', say: 'wait: each open permit settles its one call, then the account is held', command: null, rung: 0 },
      {
        kind: 'look',
        say: 'see what every open permit waits for',
        command: 'connector permits list --account {account} --state open',
        rung: 0,
      },
    ],
    willNotHelp: [
      'resume: there is no path from halting back to serving',
      'a restart, a timeout, or waiting for a lease: only a settled or proved permit closes',
    ],
  },
  GATE_HALTED: {
    headline: '{account} is halted since {since} by {by}: {reason}.',
    tier: 0,
    class: 'owner',
    verdict: 'needs_person',
    owner: 'account-operators',
    alert: null,
    evidence: 'gate.row',
    may: [
      {
        kind: 'transition',
        say: 'let the account serve again',
        command: 'connector accounts resume {account} --reason "..." --plan',
        rung: 2,
      },
    ],
    willNotHelp: ['a restart or more workers: the stop is a row, and only a resume moves it', 'sending the delivery again'],
  },
  EPOCH_NOT_ACTIVE: {
    headline: 'Epoch {epoch} is {state}; only an active epoch takes new work.',
    tier: 0,
    class: 'safety',
    verdict: 'needs_person',
    owner: 'release-managers',
    alert: null,
    evidence: 'epoch.row',
    may: [{ kind: 'mint_upstream', say: 'prepare, verify and activate a corrected epoch', command: null, rung: 0 }],
    willNotHelp: ['moving the row to another epoch: what admitted it stays what it is', 'a restart'],
  },
  CREDENTIAL_REVOKED: {
    headline: 'Credential generation {credential} is {mode} since {since}; nothing is sent with it.',
    tier: 2,
    class: 'owner',
    verdict: 'needs_person',
    owner: 'credential-owners',
    alert: 'effect_not_dispatched',
    evidence: 'credential.gate',
    may: [
      {
        kind: 'mint_upstream',
        say: 'author a new generation, a configuration that names it, and a successor epoch',
        command: null,
        rung: 0,
      },
    ],
    willNotHelp: ['a newer secret under the same name: a call uses exactly the version that was frozen', 'a restart'],
  },
} as const satisfies Record<string, Reason>;
