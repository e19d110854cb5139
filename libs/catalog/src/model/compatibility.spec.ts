import { offersProtocol } from './compatibility';
import { ProtocolId } from './identifier';

describe('protocol compatibility', () => {
  it.each([
    [1, 2, true],
    [1, 3, true],
    [1, 1, false],
    [2, 2, false],
    [0, 9, false],
    [2, 0, false],
  ])('major 1 from minor 2 on against an offered %d.%d: %s (cat:MAN-12)', (major, minor, compatible) => {
    const required = { protocol_id: ProtocolId.parse('nexuscrm.records'), major: 1, minimum_minor: 2 };
    const offered = { protocol_id: required.protocol_id, major, minor };
    expect(offersProtocol([offered], required)).toBe(compatible);
    expect(offersProtocol([{ ...offered, protocol_id: ProtocolId.parse('nexuscrm.other') }], required)).toBe(false);
    expect(offersProtocol([], required)).toBe(false);
  });
});
