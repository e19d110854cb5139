import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Service } from '@connector/kernel/roles';
import { SecretAbsent, type SecretBackend, type SecretRef, withSecret } from '../secrets/secret-backend';
import { HttpProblem } from './problem';

/** Who may hold a token: a service, or a person's command line, as an operator (`cli`) or as somebody who may less (catalog.md B.3). */
export type Caller = Service | 'cli' | 'publisher' | 'pack-owner' | 'reader';

const PUBLIC = 'connector:public';
/** Marks a handler or controller that answers without a token. */
export const Public = (): CustomDecorator => SetMetadata(PUBLIC, true);

const TOKEN_CHARS_MAX = 512;
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const tokenRef = (caller: Caller, callee: Service, version: string): SecretRef => ({ path: `tokens/${caller}/${callee}`, version });

/** Who knocks with which token, as digests: this process never needs the tokens of its callers again (decisions 13.19). */
export class CallerTokens {
  readonly #digests = new Map<Caller, Buffer>();

  add(caller: Caller, token: Buffer): void {
    this.#digests.set(caller, sha256(trimmed(token)));
  }

  /** Compares with every caller's digest, in constant time and without an early end. */
  callerOf(token: string): Caller | undefined {
    const digest = sha256(token);
    let found: Caller | undefined;
    for (const [caller, held] of this.#digests) if (timingSafeEqual(held, digest)) found = caller;
    return found;
  }
}

/** Reads the token of each caller of this service. A caller without a token is left out, so a service can start alone; it is then refused. */
export async function readCallerTokens(
  secrets: SecretBackend,
  callee: Service,
  callers: readonly Caller[],
  version: string,
): Promise<{ readonly tokens: CallerTokens; readonly absent: readonly Caller[] }> {
  const tokens = new CallerTokens();
  const absent: Caller[] = [];
  for (const caller of callers) {
    try {
      await withSecret(secrets, tokenRef(caller, callee, version), (bytes) => tokens.add(caller, bytes));
    } catch (thrown) {
      if (!(thrown instanceof SecretAbsent)) throw thrown;
      absent.push(caller);
    }
  }
  return { tokens, absent };
}

/** The token with which `caller` speaks to `callee`. */
export function readToken(secrets: SecretBackend, caller: Caller, callee: Service, version: string): Promise<string> {
  return withSecret(secrets, tokenRef(caller, callee, version), (bytes) => trimmed(bytes).toString('latin1'));
}

/** An editor may have ended the file with a newline. */
function trimmed(token: Buffer): Buffer {
  return token.at(-1) === 0x0a ? token.subarray(0, -1) : token;
}

const callers = new WeakMap<object, Caller>();
/** Who made this request; undefined on a public route. */
export const callerOf = (request: object): Caller | undefined => callers.get(request);

interface Headers {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Refuses every request without a known token, except on routes marked `@Public()`. */
export function callerGuard(tokens: CallerTokens): CanActivate {
  const reflector = new Reflector();
  return {
    canActivate(context: ExecutionContext): boolean {
      if (context.getType() !== 'http') return true; // a wake is a hint, it decides nothing
      if (reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) === true) return true;
      const request = context.switchToHttp().getRequest<Headers>();
      const caller = tokens.callerOf(bearer(request.headers['authorization']));
      if (caller === undefined) throw refusal();
      callers.set(request, caller);
      return true;
    },
  };
}

function bearer(header: string | readonly string[] | undefined): string {
  const match = typeof header === 'string' && header.length <= TOKEN_CHARS_MAX ? /^Bearer ([\w.~+/=-]+)$/i.exec(header) : null;
  return match?.[1] ?? '';
}

/** One answer for a missing, a malformed and a wrong token: the difference would only help whoever guesses. */
function refusal(): HttpProblem {
  return new HttpProblem({
    status: 401,
    code: 'HOUSE:http:CallerUnknown',
    detail: 'This path needs the bearer token that was minted for its caller.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
