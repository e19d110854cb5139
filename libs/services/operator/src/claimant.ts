import type { Told } from './told';

/** What the claimant says of wakes, as it says it; or why it said nothing. */
export type Wakes =
  { readonly kind: 'seen'; readonly seen: Readonly<Record<string, unknown>> } | { readonly kind: 'unknown'; readonly detail: string };

/** The one service that knows how long due work waited for it. */
export class Claimant {
  constructor(private readonly claimant: Told) {}

  async wakes(): Promise<Wakes> {
    const said = await this.claimant.get('/v1/wakes', 200);
    return said.kind === 'said' ? { kind: 'seen', seen: Object.fromEntries(Object.entries(said.members)) } : said;
  }
}
