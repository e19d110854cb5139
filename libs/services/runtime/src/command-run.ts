import type { AccountName } from '@connector/kernel/brand';
import { DefectFault, RetryableFault } from '@connector/kernel/faults';
import type { GateBasis } from '@connector/connector/fences/serving-gate';
