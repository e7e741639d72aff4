/* As much of JSON Schema as the schemas of this folder use, for the tests of what fits them.
 *
 *   schema_load   a published schema; the test fails when it is no JSON
 *   schema_fits   whether a value fits a schema; `root` is the whole of it */
#ifndef REPORTS_SCHEMA_RIG_H
#define REPORTS_SCHEMA_RIG_H

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool schema_fits(const json_t *schema, const json_t *v, const json_t *root);

static inline bool schema_type_fits(const json_t *type, const json_t *v)
{
    const char *t = json_string_value(type);
    size_t i;
    const json_t *one;
    if (json_is_array(type)) {
        json_array_foreach(type, i, one) if (schema_type_fits(one, v)) return true;
        return false;
    }
    return (!strcmp(t, "object") && json_is_object(v)) ||
           (!strcmp(t, "array") && json_is_array(v)) ||
           (!strcmp(t, "string") && json_is_string(v)) || (!strcmp(t, "null") && json_is_null(v)) ||
           (!strcmp(t, "integer") && json_is_integer(v)) ||
           (!strcmp(t, "number") && json_is_number(v)) ||
           (!strcmp(t, "boolean") && json_is_boolean(v));
}

static inline bool schema_object_fits(const json_t *schema, const json_t *v, const json_t *root)
{
    const json_t *properties = json_object_get(schema, "properties"), *one;
    const json_t *others = json_object_get(schema, "additionalProperties");
    json_t *member;
    const char *key;
    size_t i;
    json_array_foreach(json_object_get(schema, "required"), i,
                       one) if (!json_object_get(v, json_string_value(one))) return false;
    json_object_foreach((json_t *)(uintptr_t)v, key, member)
    {
        const json_t *rule = json_object_get(properties, key);
        if (!rule && json_is_false(others)) return false;
        if (!rule) rule = others;
        if (rule && !schema_fits(rule, member, root)) return false;
    }
    return true;
}

static inline bool schema_fits(const json_t *schema, const json_t *v, const json_t *root)
{
    const json_t *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum"),
                 *one, *exact = json_object_get(schema, "const"),
                 *minimum = json_object_get(schema, "minimum");
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    size_t i;
    bool listed = !words;
    if (ref && !schema_fits(json_object_get(json_object_get(root, "$defs"), strrchr(ref, '/') + 1),
                            v, root))
        return false;
    if (type && !schema_type_fits(type, v)) return false;
    if (exact && !json_equal(exact, v)) return false;
    if (minimum && json_is_number(v) && json_number_value(v) < json_number_value(minimum))
        return false;
    json_array_foreach(words, i, one) listed |= json_equal(one, v);
    json_array_foreach(v, i, one)
    {
        const json_t *items = json_object_get(schema, "items");
        if (items && !schema_fits(items, one, root)) return false;
    }
    return listed && (!json_is_object(v) || schema_object_fits(schema, v, root));
}

static inline json_t *schema_load(const char *file)
{
    json_error_t e;
    json_t *schema = json_load_file(file, JSON_REJECT_DUPLICATES, &e);
    ck_assert_msg(schema != NULL, "%s:%d: %s", e.source, e.line, e.text);
    return schema;
}

#endif
