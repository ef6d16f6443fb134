// SPDX-License-Identifier: Apache-2.0

// Nothing to call: to depend on this target is enough.
