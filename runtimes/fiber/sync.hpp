#pragma once
// Synchronisation for fibers and plain threads, in any mixture: a fiber suspends, a thread sleeps on a futex.
// Nothing here allocates, but for the buffer of a channel when it is made. Deadlines are points of now_ns().
#include "runtimes/fiber/channel.hpp"
#include "runtimes/fiber/event.hpp"
#include "runtimes/fiber/future.hpp"
#include "runtimes/fiber/mutex.hpp"
#include "runtimes/fiber/semaphore.hpp"
#include "runtimes/fiber/sequencer.hpp"
#include "runtimes/fiber/waitable.hpp"
