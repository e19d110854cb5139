import { outcomeBody, sendOutcome } from './outcome';

describe('outcome', () => {
  it('body: snake_case members, u64 as text, bytes as base64, nested and in lists', () => {
    const outcome = {
      kind: 'found',
      viewBytes: Buffer.from('{}'),
      fence: 18446744073709551615n,
      items: [{ effectId: 'e', at: null }],
      on: true,
    };
    expect(outcomeBody(outcome)).toEqual({
      kind: 'found',
      view_base64: 'e30=',
      fence: '18446744073709551615',
      items: [{ effect_id: 'e', at: null }],
      on: true,
    });
  });

  it('status: by kind', () => {
    const sent: unknown[] = [];
    const reply = {
      status: (code: number) => {
        sent.push(code);
        return reply;
      },
      send: (body: unknown) => sent.push(body),
    };
    sendOutcome<{ readonly kind: 'set' | 'moved' }>(reply, { set: 201, moved: 409 }, { kind: 'moved' });
    expect(sent).toEqual([409, { kind: 'moved' }]);
  });
});
