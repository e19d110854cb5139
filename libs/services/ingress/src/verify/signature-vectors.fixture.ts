/** The published signature vectors (cases 0): clock 1767225600, `webhook-id: msg_1`. Typed in, not computed by the code under test. */
export const NOW = 1767225600;
export const S1_TEXT = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const S2_TEXT = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
export const S1 = Buffer.from(S1_TEXT.slice(6), 'base64');
export const S2 = Buffer.from(S2_TEXT.slice(6), 'base64');
export const GITHUB_SECRET = Buffer.from('github-secret', 'ascii');

const ODD = '7b20226222203a20312c0d0a2020226122203a2032207d0a';

export const BODIES = {
  plain: Buffer.from('7b2261223a317d', 'hex'),
  odd: Buffer.from(ODD, 'hex'),
  bom: Buffer.from(`efbbbf${ODD}`, 'hex'),
  uni: Buffer.from('7b226e223a22636166c3a920f09f988020e280a8227d', 'hex'),
  esc: Buffer.from('7b226e223a226361665c7530306539205c75643833645c7564653030205c7532303238227d', 'hex'),
  ff: Buffer.from('7b2278223a22ff227d', 'hex'),
  fe: Buffer.from('7b2278223a22fe227d', 'hex'),
} as const;
export type BodyName = keyof typeof BODIES;
export const BODY_NAMES: readonly BodyName[] = ['plain', 'odd', 'bom', 'uni', 'esc', 'ff', 'fe'];

export const STANDARD_S1: Record<BodyName, string> = {
  plain: 'v1,ZrlPo/jiT9N2btAG0jXiZPpJi4tRkX0/iJE3AzZUC88=',
  odd: 'v1,xAeXcqYjIGoPnmZb9eSnKFjJWionnCbRkAz/TZ5NrrM=',
  bom: 'v1,ndI5VfW+KhqP+uqXxT2e3o1efuo26/hNQzUl/AljmZ4=',
  uni: 'v1,bpMVcMgQsw14iA0UhbuAiG7Apwx6jYFAvb07elwYx/k=',
  esc: 'v1,0KHqTJlSEv8PWd6DPzeJ473Yy3z7fVtLFibp8mPCsE4=',
  ff: 'v1,wODANfct4yM8U25AOdfE9S8cgWv4TgxhT/EOZjoUvLU=',
  fe: 'v1,4DaxfXjLmkeKCP1buHe9baBEg3qvoLnjp+mAUxSXZCw=',
};
export const STANDARD_S2_PLAIN = 'v1,E0segQjKcno0uR8xwtmLtEE/W6mpFAG79Fck7+SbhmQ=';
export const STANDARD_V1A_PLAIN = 'v1a,lS45veK0u5uBAu9Zj3Pt+DVvHlExDd23QFmdKiMvP4n0DXLcZr4PH8imgS6YZhMzt6QjS+h83ERjHbu75Z4vBQ==';
/** S1 over `{"b":1,"a":2}`: what a verifier that re-serialised body odd would have taken (PUB-SIG-02). */
export const STANDARD_S1_RESERIALISED_ODD = 'v1,gH3o9QvfN0Pa1NYmCkJ93mXzeD4Woj1WtGjsCJ0TjNY=';

export const GITHUB: Record<BodyName, string> = {
  plain: 'sha256=3a25563452af4b8bfa42016511b4eedb6f241ff395294b7d31436bda955279ab',
  odd: 'sha256=1d2854a133d957ed5b04fcef9b4bb914bcc22913f254490f68fdc2a4512cf428',
  bom: 'sha256=db3a545677c19461222941b95434167f3d664f09aba601e2c95a818a968000d2',
  uni: 'sha256=4bb54acffbb15152fcc05c8e1c605cd3d333af2df53e57f486c7c46d8c9f5723',
  esc: 'sha256=a1904ec4c2c6a9f6cb5b787bf9c15c040967e762b8cb23443763c04d938e7875',
  ff: 'sha256=1155d52e7492f14668add3929211801088269dccc6d7cb6908d67c5d5176c593',
  fe: 'sha256=f9a30461de8528415b12f56c5e40fada4425829c78f1d3393f15acd3d6ab82e2',
};

export const SHOPIFY: Record<BodyName, string> = {
  plain: 'JnEhX0rt/Fj2WgHCczMCeczgb40j2odCSbiN0m1odHg=',
  odd: 'dP38sL2+vEOTKxTIJuLER750yaUr2qbGkbGbsUkhFpk=',
  bom: 'GQJPf9I+DF0eYOxTedE4N4a/snD3j/PmvXq6y7/hlMM=',
  uni: '8wUdHOuaxXxLJEMK8NuJLG6VOGvHbcdVTmI9zpMiOks=',
  esc: 'mo+1rJV5K3lqiEhoSVQRc7HG4DFUZJJ1H05OEGa0+Ag=',
  ff: 'zSWzW/hnpxcud4RhHOOQyH9f3K/sAoGzAoT5KxPx91M=',
  fe: 'z00wYobBHcv1wUW3r5uFa/524lU4J2sZDHBjQf8ajtw=',
};
export const STRIPE_PLAIN = 't=1767225600,v1=38c2aba3ac28ccecf14f27a41256344c5b4bd5128e4efa89e1e721a11bbb5417';
export const SLACK_PLAIN = 'v0=4f4e70b244c18be3c6f956a48945e13b665f4bc8878bac0317786571c0bc744a';
/** The public key of STANDARD_V1A_PLAIN. */
export const V1A_TEXT = 'whpk_JUO5L/EJVRFHatyDadtt3JM2ZaEZeN2hQE7hBmypVZ0=';

/** One row of a table of vectors. `expected` is an outcome kind, or `refused` and its reason. */
export interface Vector {
  readonly expected: string;
  readonly title: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly secrets?: readonly Buffer[];
  readonly now?: number;
}

export function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
  return copy;
}

/** Another character of the same alphabet at this place. */
export function altered(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]));
}
