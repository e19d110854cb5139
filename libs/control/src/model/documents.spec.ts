import { InputFault } from '@connector/kernel/faults';
import { ownerVector } from '@connector/testing/vectors/load';
import {
  type CredentialReceipt,
  credentialReceipt,
  type CredentialTransport,
  credentialTransport,
  type ServiceConfiguration,
  serviceConfiguration,
  type ServiceConfigurationReceipt,
  serviceConfigurationReceipt,
} from './documents';

const configuration = ownerVector('service configuration').document as ServiceConfiguration;
const [account] = configuration.accounts;
if (account === undefined) throw new Error('the vector has an account');

describe('control documents', () => {
  it.each(['primary', 'webhook-secret'])('the bytes and digests of the vectors: credential %s (con:CRED-F)', (ref) => {
    const transport = ownerVector(`credential transport ${ref}`);
    const made = credentialTransport.build(transport.document as CredentialTransport);
    expect(made).toEqual({ bytes: Buffer.from(transport.jcs_utf8), digest: transport.digest });
    expect(credentialTransport.parse(made.bytes).value).toEqual(transport.document);
    const receipt = ownerVector(`credential receipt ${ref}`);
    expect(credentialReceipt.build(receipt.document as CredentialReceipt)).toEqual({
      bytes: Buffer.from(receipt.jcs_utf8),
      digest: receipt.digest,
    });
    expect(credentialReceipt.parse(Buffer.from(receipt.jcs_utf8)).value).toEqual(receipt.document);
  });

  it('the bytes and digest of the vectors: service configuration and its receipt (con:SCG-F)', () => {
    const vector = ownerVector('service configuration');
    expect(serviceConfiguration.build(configuration)).toEqual({ bytes: Buffer.from(vector.jcs_utf8), digest: vector.digest });
    expect(serviceConfiguration.parse(Buffer.from(vector.jcs_utf8)).value).toEqual(configuration);
    const receipt = ownerVector('service configuration receipt');
    const made = serviceConfigurationReceipt.build(receipt.document as ServiceConfigurationReceipt);
    expect(made).toEqual({ bytes: Buffer.from(receipt.jcs_utf8), digest: receipt.digest });
    expect(serviceConfigurationReceipt.parse(made.bytes).value).toEqual(receipt.document);
  });

  it('the same bytes whatever the order in which it was written (con:SCG-F)', () => {
    const hook = account.channels[0] ?? { channel: 'hook', scheme: 's', route: 'r' };
    const full: ServiceConfiguration = {
      ...configuration,
      accounts: [
        { ...account, channels: [hook, { ...hook, channel: 'bulk' }], routes: ['b', 'a'], mappings: ['d', 'c'] },
        { ...account, account: 'a2' },
      ],
    };
    const backwards: ServiceConfiguration = {
      ...full,
      accounts: full.accounts
        .map((one) => ({
          ...one,
          channels: [...one.channels].reverse(),
          routes: [...one.routes].reverse(),
          mappings: [...one.mappings].reverse(),
        }))
        .reverse(),
      credential_relation: [...full.credential_relation].reverse(),
    };
    expect(serviceConfiguration.build(backwards)).toEqual(serviceConfiguration.build(full));
  });

  it('refused: a credential reference with two generations, or an account twice (con:SCG-K)', () => {
    const [first, second] = configuration.credential_relation;
    if (first === undefined || second === undefined) throw new Error('the vector has two entries');
    const doubled = { ...second, account: first.account, credential_ref: first.credential_ref };
    expect(() => serviceConfiguration.build({ ...configuration, credential_relation: [first, doubled] })).toThrow(InputFault);
    expect(() => serviceConfiguration.build({ ...configuration, accounts: [account, account] })).toThrow(InputFault);
  });

  it('refused: a transport without a scheme, or with a setting that is not text', () => {
    expect(() => credentialTransport.build({ header: 'Authorization' } as never)).toThrow(InputFault);
    expect(() => credentialTransport.build({ scheme: 'bearer', header: { secret: 'x' } } as never)).toThrow(InputFault);
  });
});
