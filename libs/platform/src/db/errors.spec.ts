import { DefectFault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import { classify, duplicateKey, faultOf } from './errors';

const errno = (number: number, sqlMessage = '') => Object.assign(new Error('x'), { errno: number, sqlMessage });
const code = (word: string) => Object.assign(new Error('x'), { code: word });

describe('fault classes (database 1.7)', () => {
  it.each([1205, 1213, 1020, 3572, 8002, 8005, 8022, 8027, 8028, 9007, 8147, 8229])(
    '%i: nothing was committed, run again, also at COMMIT',
    (number) => {
      expect(classify(errno(number), false)).toBe('again');
      expect(classify(errno(number), true)).toBe('again');
    },
  );

  it.each([9001, 9002, 9003, 9004, 9005])('%i: again before COMMIT, unknown during it', (number) => {
    expect(classify(errno(number), false)).toBe('again');
    expect(classify(errno(number), true)).toBe('unknown');
  });

  it.each(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'PROTOCOL_SEQUENCE_TIMEOUT'])(
    '%s: again before COMMIT, unknown during it',
    (word) => {
      expect(classify(code(word), false)).toBe('again');
      expect(classify(code(word), true)).toBe('unknown');
    },
  );

  it('1105 is read by its text: a lost lock again, undetermined unknown, anything else a defect', () => {
    expect(classify(errno(1105, 'tikv: PessimisticLockNotFound'), false)).toBe('again');
    expect(classify(errno(1105, 'pessimistic lock not found'), true)).toBe('again');
    expect(classify(errno(1105, 'execution result undetermined'), true)).toBe('unknown');
    expect(classify(errno(1105, 'something else'), false)).toBe('defect');
  });

  it('an error at COMMIT that nobody knows may hide a committed transaction', () => {
    expect(classify(errno(4242), false)).toBe('defect');
    expect(classify(errno(4242), true)).toBe('unknown');
  });

  it('1062 is a duplicate, by the name of its key on either engine', () => {
    expect(classify(errno(1062), false)).toBe('duplicate');
    expect(duplicateKey(errno(1062, "Duplicate entry 'x' for key 'u_live'"))).toBe('u_live');
    expect(duplicateKey(errno(1062, "Duplicate entry 'x' for key 'con_event.u_live'"))).toBe('u_live');
    expect(duplicateKey(errno(1205))).toBeUndefined();
  });

  it('each class is its fault, and a fault stays what it is', () => {
    expect(faultOf(errno(1213), 's', false)).toBeInstanceOf(RetryableFault);
    expect(faultOf(code('ECONNRESET'), 's', true)).toBeInstanceOf(UndeterminedFault);
    expect(faultOf(errno(1054), 's', false)).toBeInstanceOf(DefectFault);
    const own = new RetryableFault('HOUSE:test:Own', 'own');
    expect(faultOf(own, 's', true)).toBe(own);
  });
});
