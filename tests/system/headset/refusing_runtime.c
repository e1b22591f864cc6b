/* An OpenXR runtime that refuses whatever REFUSES names: to be told apart from one that is not there. Only what the
   program's first questions need; the structures are those of OpenXR 1.0. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define API_VERSION_UNSUPPORTED (-4)
#define FUNCTION_UNSUPPORTED (-7)
#define FORM_FACTOR_UNAVAILABLE (-35)

typedef int32_t Result;
typedef void (*Function)(void);

static int refuses(const char *what) {
    const char *named = getenv("REFUSES");
    return named && strcmp(named, what) == 0;
}

static Result unsupported(void) { return FUNCTION_UNSUPPORTED; }

static Result extensions(const char *layer, uint32_t room, uint32_t *count, void *properties) {
    (void)layer, (void)room, (void)properties;
    *count = 0;
    return 0;
}

static Result create_instance(const void *info, uint64_t *instance) {
    (void)info;
    if (refuses("version")) return API_VERSION_UNSUPPORTED;
    *instance = 1;
    return 0;
}

static Result destroy_instance(uint64_t instance) {
    (void)instance;
    return 0;
}

struct Properties {
    uint32_t type;
    void *next;
    uint64_t version;
    char name[128];
};

static Result properties(uint64_t instance, struct Properties *out) {
    (void)instance;
    out->version = (uint64_t)1 << 48;
    strcpy(out->name, "Refusal");
    return 0;
}

static Result system_of(uint64_t instance, const void *info, uint64_t *system) {
    (void)instance, (void)info, (void)system;
    return FORM_FACTOR_UNAVAILABLE;
}

static Result get_function(uint64_t instance, const char *name, Function *function) {
    (void)instance;
    *function = (Function)unsupported;
    if (!strcmp(name, "xrEnumerateInstanceExtensionProperties")) *function = (Function)extensions;
    if (!strcmp(name, "xrCreateInstance")) *function = (Function)create_instance;
    if (!strcmp(name, "xrDestroyInstance")) *function = (Function)destroy_instance;
    if (!strcmp(name, "xrGetInstanceProperties")) *function = (Function)properties;
    if (!strcmp(name, "xrGetSystem")) *function = (Function)system_of;
    if (!strcmp(name, "xrGetInstanceProcAddr")) *function = (Function)get_function;
    return 0;
}

struct Request {
    uint32_t type, version;
    size_t size;
    uint32_t interface_version;
    uint64_t api_version;
    Result (*get_function)(uint64_t, const char *, Function *);
};

EXPORT Result xrNegotiateLoaderRuntimeInterface(const void *loader, struct Request *request) {
    (void)loader;
    request->interface_version = 1;
    request->api_version = (uint64_t)1 << 48;
    request->get_function = get_function;
    return 0;
}
