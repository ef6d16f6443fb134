// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libintl.h>
#include <locale.h>
